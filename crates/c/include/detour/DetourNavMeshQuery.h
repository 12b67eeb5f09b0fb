/* The calls of Detour that most programs make, answered by waymesh: put this folder before Detour's on the include path, and link waymesh_c
instead of Detour. See the README for what differs. C++11. */
#ifndef WAYMESH_DETOUR_NAV_MESH_QUERY_H
#define WAYMESH_DETOUR_NAV_MESH_QUERY_H

#include <algorithm>
#include <cmath>
#include <vector>

#include "DetourCommon.h"
#include "DetourNavMesh.h"
#include "DetourStatus.h"

enum dtStraightPathFlags {
    DT_STRAIGHTPATH_START = 0x01,
    DT_STRAIGHTPATH_END = 0x02,
    DT_STRAIGHTPATH_OFFMESH_CONNECTION = 0x04
};

enum dtStraightPathOptions { DT_STRAIGHTPATH_AREA_CROSSINGS = 0x01, DT_STRAIGHTPATH_ALL_CROSSINGS = 0x02 };

/* What areas cost. Polygons of waymesh have areas and no flags: a polygon passes if its area costs less than infinity. */
class dtQueryFilter {
public:
    dtQueryFilter() {
        for (float &cost : costs_) cost = 1;
    }
    virtual ~dtQueryFilter() {}
    float getAreaCost(int area) const { return costs_[area]; }
    void setAreaCost(int area, float cost) { costs_[area] = cost; }
    unsigned short getIncludeFlags() const { return include_; }
    void setIncludeFlags(unsigned short flags) { include_ = flags; }
    unsigned short getExcludeFlags() const { return exclude_; }
    void setExcludeFlags(unsigned short flags) { exclude_ = flags; }
    /* For waymesh, whose area 1 is plain ground, Detour's 0, and whose other areas are one more than Detour's. */
    void costs(float (&costs)[DT_MAX_AREAS + 1]) const {
        costs[0] = INFINITY;
        for (int area = 0; area < DT_MAX_AREAS; area++) costs[area + 1] = costs_[area];
    }

private:
    float costs_[DT_MAX_AREAS];
    unsigned short include_ = 0xffff, exclude_ = 0;
};

struct dtRaycastHit {
    float t;
    float hitNormal[3];
    int hitEdgeIndex;
    dtPolyRef *path;
    int pathCount, maxPath;
    float pathCost;
};

/* Queries of one thread. */
class dtNavMeshQuery {
public:
    dtNavMeshQuery() {}
    ~dtNavMeshQuery() { wm_query_free(query_); }
    dtNavMeshQuery(const dtNavMeshQuery &) = delete;
    dtNavMeshQuery &operator=(const dtNavMeshQuery &) = delete;

    dtStatus init(const dtNavMesh *nav, int) {
        nav_ = nav;
        if (!nav || (!query_ && wm_query_new(&query_, nullptr) != WM_STATUS_OK)) return DT_FAILURE;
        return nav->mesh() ? DT_SUCCESS : DT_FAILURE;
    }
    const dtNavMesh *getAttachedNavMesh() const { return nav_; }

    /* Leaves the reference at 0 where nothing is near, as Detour does. */
    dtStatus findNearestPoly(const float *center, const float *halfExtents, const dtQueryFilter *filter, dtPolyRef *nearestRef,
                             float *nearestPt) const {
        if (!ready() || !center || !halfExtents || !nearestRef) return DT_FAILURE | DT_INVALID_PARAM;
        Settings settings(filter);
        const wm_reach reach = {halfExtents[0] > halfExtents[2] ? halfExtents[0] : halfExtents[2], halfExtents[1], halfExtents[1]};
        settings.all.reach = &reach;
        wm_place place;
        *nearestRef = 0;
        const wm_status status = wm_nearest(mesh(), vec(center), &settings.all, &place, nullptr);
        if (status == WM_STATUS_NO_MESH_NEAR) return DT_SUCCESS;
        if (status != WM_STATUS_OK) return DT_FAILURE | DT_INVALID_PARAM;
        *nearestRef = ref(place.polygon);
        if (nearestPt) put(nearestPt, place.position);
        return DT_SUCCESS;
    }

    dtStatus findPath(dtPolyRef startRef, dtPolyRef endRef, const float *startPos, const float *endPos, const dtQueryFilter *filter, dtPolyRef *path,
                      int *pathCount, const int maxPath) const {
        if (!pathCount) return DT_FAILURE | DT_INVALID_PARAM;
        *pathCount = 0;
        wm_place start, end;
        if (!ready() || !startPos || !endPos || !path || maxPath <= 0 || !closest(startRef, startPos, &start) || !closest(endRef, endPos, &end)) {
            return DT_FAILURE | DT_INVALID_PARAM;
        }
        if (startRef == endRef) {
            path[0] = startRef;
            *pathCount = 1;
            return DT_SUCCESS;
        }
        wm_path_info info;
        if (!find(start.position, end.position, Settings(filter), nullptr, 0, &info)) return DT_FAILURE;
        std::vector<uint32_t> polygons(info.polygons);
        size_t count = 0;
        if (wm_query_polygons(query_, polygons.data(), polygons.size(), &count, nullptr) != WM_STATUS_OK) return DT_FAILURE;
        for (; *pathCount < maxPath && *pathCount < static_cast<int>(count); ++*pathCount) path[*pathCount] = ref(polygons[static_cast<size_t>(*pathCount)]);
        dtStatus status = DT_SUCCESS;
        if (static_cast<int>(count) > maxPath) status |= DT_BUFFER_TOO_SMALL;
        if (info.outcome != WM_OUTCOME_COMPLETE) status |= DT_PARTIAL_RESULT;
        if (count == 0) {
            path[0] = startRef;
            *pathCount = 1;
            status |= DT_PARTIAL_RESULT;
        }
        return status;
    }

    /* The corners of the shortest way through these polygons, to the place of the last that is closest to the end. */
    dtStatus findStraightPath(const float *startPos, const float *endPos, const dtPolyRef *path, const int pathSize, float *straightPath,
                              unsigned char *straightPathFlags, dtPolyRef *straightPathRefs, int *straightPathCount, const int maxStraightPath,
                              const int options = 0) const {
        if (!straightPathCount) return DT_FAILURE | DT_INVALID_PARAM;
        *straightPathCount = 0;
        wm_place start, end;
        if (!ready() || !startPos || !endPos || !path || pathSize <= 0 || maxStraightPath <= 0 || !closest(path[0], startPos, &start) ||
            !closest(path[pathSize - 1], endPos, &end)) {
            return DT_FAILURE | DT_INVALID_PARAM;
        }
        std::vector<dtPolyRef> passed(path, path + pathSize);
        std::sort(passed.begin(), passed.end());
        Settings settings(nullptr);
        settings.all.search = WM_SEARCH_SHORTEST;
        settings.all.cross_points = options != 0;
        settings.all.allows = is_passed;
        settings.all.user = &passed;
        std::vector<wm_vec3> points(64);
        wm_path_info info;
        if (!find(start.position, end.position, settings, points.data(), points.size(), &info)) return DT_FAILURE;
        if (info.points > points.size()) {
            points.resize(info.points);
            if (!find(start.position, end.position, settings, points.data(), points.size(), &info)) return DT_FAILURE;
        }
        /* A start that is the end is one point of ours and two of Detour. */
        if (info.points == 1) {
            points[1] = points[0];
            info.points = 2;
        }
        const int count = static_cast<int>(info.points);
        const wm_reach reach = {0.1F, 1, 1};
        settings.all.reach = &reach;
        for (int i = 0; i < count && i < maxStraightPath; i++, ++*straightPathCount) {
            const wm_vec3 at = points[static_cast<size_t>(i)];
            if (straightPath) put(&straightPath[3 * i], at);
            if (straightPathFlags) {
                straightPathFlags[i] = static_cast<unsigned char>(i == 0 ? DT_STRAIGHTPATH_START : i == count - 1 ? DT_STRAIGHTPATH_END : 0);
            }
            if (straightPathRefs) {
                wm_place place;
                const bool is_there = wm_nearest(mesh(), at, &settings.all, &place, nullptr) == WM_STATUS_OK;
                straightPathRefs[i] = i == count - 1 || !is_there ? 0 : ref(place.polygon);
            }
        }
        return count > maxStraightPath ? DT_SUCCESS | DT_BUFFER_TOO_SMALL : DT_SUCCESS;
    }

    dtStatus raycast(dtPolyRef startRef, const float *startPos, const float *endPos, const dtQueryFilter *filter, float *t, float *hitNormal, dtPolyRef *path,
                     int *pathCount, const int maxPath) const {
        if (pathCount) *pathCount = 0;
        wm_place start;
        wm_ray ray;
        if (!ready() || !startPos || !endPos || !t || !closest(startRef, startPos, &start) ||
            wm_raycast(mesh(), query_, &start, vec(endPos), Settings(filter).get(), &ray, nullptr) != WM_STATUS_OK) {
            return DT_FAILURE | DT_INVALID_PARAM;
        }
        *t = ray.hit ? ray.fraction : FLT_MAX;
        if (hitNormal) put(hitNormal, ray.normal);
        if (!path || !pathCount) return DT_SUCCESS;
        size_t count = 0;
        wm_query_polygons(query_, nullptr, 0, &count, nullptr);
        std::vector<uint32_t> polygons(count);
        wm_query_polygons(query_, polygons.data(), polygons.size(), &count, nullptr);
        for (; *pathCount < maxPath && *pathCount < static_cast<int>(count); ++*pathCount) path[*pathCount] = ref(polygons[static_cast<size_t>(*pathCount)]);
        return static_cast<int>(count) > maxPath ? DT_SUCCESS | DT_BUFFER_TOO_SMALL : DT_SUCCESS;
    }

    /* The polygons visited are the first and the last. */
    dtStatus moveAlongSurface(dtPolyRef startRef, const float *startPos, const float *endPos, const dtQueryFilter *filter, float *resultPos,
                              dtPolyRef *visited, int *visitedCount, const int maxVisitedSize) const {
        if (!visitedCount) return DT_FAILURE | DT_INVALID_PARAM;
        *visitedCount = 0;
        wm_place start, end;
        if (!ready() || !startPos || !endPos || !resultPos || !visited || maxVisitedSize <= 0 || !closest(startRef, startPos, &start) ||
            wm_move_along(mesh(), query_, &start, vec(endPos), Settings(filter).get(), &end, nullptr) != WM_STATUS_OK) {
            return DT_FAILURE | DT_INVALID_PARAM;
        }
        put(resultPos, end.position);
        visited[(*visitedCount)++] = startRef;
        if (end.polygon != start.polygon && maxVisitedSize > 1) visited[(*visitedCount)++] = ref(end.polygon);
        return DT_SUCCESS;
    }

    dtStatus findRandomPoint(const dtQueryFilter *filter, float (*frand)(), dtPolyRef *randomRef, float *randomPt) const {
        if (!ready() || !frand || !randomRef || !randomPt) return DT_FAILURE | DT_INVALID_PARAM;
        const uint64_t seed = (static_cast<uint64_t>(frand() * 16777216.0F) << 24) ^ static_cast<uint64_t>(frand() * 16777216.0F);
        wm_place place;
        if (wm_random_places(mesh(), seed, Settings(filter).get(), &place, 1, nullptr) != WM_STATUS_OK) return DT_FAILURE;
        *randomRef = ref(place.polygon);
        put(randomPt, place.position);
        return DT_SUCCESS;
    }

    dtStatus findDistanceToWall(dtPolyRef startRef, const float *centerPos, const float maxRadius, const dtQueryFilter *filter, float *hitDist,
                                float *hitPos, float *hitNormal) const {
        wm_place start;
        wm_wall wall;
        if (!ready() || !centerPos || !hitDist || !hitPos || !hitNormal || !closest(startRef, centerPos, &start) ||
            wm_nearest_wall(mesh(), query_, &start, maxRadius, Settings(filter).get(), &wall, nullptr) != WM_STATUS_OK) {
            return DT_FAILURE | DT_INVALID_PARAM;
        }
        *hitDist = wall.distance;
        put(hitPos, wall.point);
        put(hitNormal, wall.normal);
        return DT_SUCCESS;
    }

    dtStatus closestPointOnPoly(dtPolyRef polyRef, const float *pos, float *closestPt, bool *posOverPoly) const {
        wm_place place;
        if (!ready() || !pos || !closestPt || !closest(polyRef, pos, &place)) return DT_FAILURE | DT_INVALID_PARAM;
        put(closestPt, place.position);
        if (posOverPoly) *posOverPoly = std::fabs(place.position.x - pos[0]) < 1e-4F && std::fabs(place.position.z - pos[2]) < 1e-4F;
        return DT_SUCCESS;
    }
    dtStatus closestPointOnPolyBoundary(dtPolyRef polyRef, const float *pos, float *closestPt) const { return closestPointOnPoly(polyRef, pos, closestPt, nullptr); }

    dtStatus getPolyHeight(dtPolyRef polyRef, const float *pos, float *height) const {
        float at[3];
        bool is_over = false;
        if (!height || dtStatusFailed(closestPointOnPoly(polyRef, pos, at, &is_over)) || !is_over) return DT_FAILURE | DT_INVALID_PARAM;
        *height = at[1];
        return DT_SUCCESS;
    }

    bool isValidPolyRef(dtPolyRef polyRef, const dtQueryFilter *) const {
        wm_mesh_info info;
        return ready() && polyRef != 0 && wm_mesh_info_of(mesh(), &info, nullptr) == WM_STATUS_OK && polyRef <= info.polygons;
    }

private:
    /* Settings of waymesh for a filter. */
    struct Settings {
        explicit Settings(const dtQueryFilter *filter) {
            wm_query_settings_default(&all, nullptr);
            if (!filter) return;
            filter->costs(costs);
            all.area_costs = costs;
            all.area_cost_count = DT_MAX_AREAS + 1;
        }
        Settings(const Settings &) = delete;
        const wm_query_settings *get() const { return &all; }

        wm_query_settings all;
        float costs[DT_MAX_AREAS + 1];
    };

    static uint32_t is_passed(void *user, uint32_t polygon, uint8_t) {
        const std::vector<dtPolyRef> &passed = *static_cast<const std::vector<dtPolyRef> *>(user);
        return std::binary_search(passed.begin(), passed.end(), ref(polygon));
    }
    static wm_vec3 vec(const float *at) { return wm_vec3{at[0], at[1], at[2]}; }
    static void put(float *to, wm_vec3 at) { to[0] = at.x, to[1] = at.y, to[2] = at.z; }
    /* 0 is no polygon in Detour. */
    static dtPolyRef ref(uint32_t polygon) { return static_cast<dtPolyRef>(polygon) + 1; }
    bool ready() const { return nav_ && query_ && nav_->mesh(); }
    const wm_mesh *mesh() const { return nav_->mesh(); }
    bool closest(dtPolyRef polygon, const float *at, wm_place *place) const {
        return polygon != 0 && wm_closest(mesh(), static_cast<uint32_t>(polygon - 1), vec(at), place, nullptr) == WM_STATUS_OK;
    }
    bool find(wm_vec3 from, wm_vec3 to, const Settings &settings, wm_vec3 *points, size_t capacity, wm_path_info *info) const {
        const wm_status status = wm_find_path(mesh(), query_, from, to, &settings.all, points, capacity, info, nullptr);
        return status == WM_STATUS_OK || status == WM_STATUS_BUFFER_TOO_SMALL;
    }

    const dtNavMesh *nav_ = nullptr;
    wm_query *query_ = nullptr;
};

inline dtNavMeshQuery *dtAllocNavMeshQuery() { return new dtNavMeshQuery; }
inline void dtFreeNavMeshQuery(dtNavMeshQuery *query) { delete query; }

#endif
