/* A mesh as Detour's programs build it: from tiles of bytes, which waymesh reads as one file when the first query asks. See
DetourNavMeshQuery.h. */
#ifndef WAYMESH_DETOUR_NAV_MESH_H
#define WAYMESH_DETOUR_NAV_MESH_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "DetourAlloc.h"
#include "DetourStatus.h"
#include "waymesh.h"

#ifdef DT_POLYREF64
typedef uint64_t dtPolyRef;
typedef uint64_t dtTileRef;
#else
typedef unsigned int dtPolyRef;
typedef unsigned int dtTileRef;
#endif

static const int DT_VERTS_PER_POLYGON = 6;
static const int DT_MAX_AREAS = 64;
static const unsigned int DT_NULL_LINK = 0xffffffff;
enum dtTileFlags { DT_TILE_FREE_DATA = 0x01 };

struct dtNavMeshParams {
    float orig[3];
    float tileWidth, tileHeight;
    int maxTiles, maxPolys;
};

/* Tiles and their tables stay inside of waymesh: the calls that would give them fail, as they do for a reference that is not valid. */
struct dtLink {
    dtPolyRef ref;
    unsigned int next;
    unsigned char edge, side, bmin, bmax;
};
struct dtPoly {
    unsigned int firstLink;
    unsigned short verts[DT_VERTS_PER_POLYGON], neis[DT_VERTS_PER_POLYGON], flags;
    unsigned char vertCount, areaAndtype;
};
struct dtMeshTile {
    dtLink *links;
};

/* A mesh. Tiles are added before the first query; a mesh that has been asked does not change. */
class dtNavMesh {
public:
    dtNavMesh() {}
    ~dtNavMesh() {
        wm_mesh_free(mesh_);
        for (unsigned char *data : owned_) dtFree(data);
    }
    dtNavMesh(const dtNavMesh &) = delete;
    dtNavMesh &operator=(const dtNavMesh &) = delete;

    dtStatus init(const dtNavMeshParams *params) {
        if (!params) return DT_FAILURE | DT_INVALID_PARAM;
        params_ = *params;
        return DT_SUCCESS;
    }
    /* A mesh of one tile. */
    dtStatus init(unsigned char *data, const int dataSize, const int flags) {
        std::memset(&params_, 0, sizeof params_);
        params_.maxTiles = params_.maxPolys = 1;
        return addTile(data, dataSize, flags, 0, nullptr);
    }
    dtStatus addTile(unsigned char *data, int dataSize, int flags, dtTileRef lastRef, dtTileRef *result) {
        if (!data || dataSize <= 0 || mesh_) return DT_FAILURE | DT_INVALID_PARAM;
        const dtTileRef ref = lastRef ? lastRef : static_cast<dtTileRef>(tiles_ + 1);
        const int32_t size = dataSize;
        append(&ref, sizeof ref);
        append(&size, sizeof size);
        if (sizeof ref == 8) append("\0\0\0\0", 4);
        append(data, static_cast<size_t>(dataSize));
        tiles_++;
        if (flags & DT_TILE_FREE_DATA) owned_.push_back(data);
        if (result) *result = ref;
        return DT_SUCCESS;
    }
    const dtNavMeshParams *getParams() const { return &params_; }
    int getMaxTiles() const { return params_.maxTiles; }
    bool isValidPolyRef(dtPolyRef ref) const {
        wm_mesh_info info;
        return ref != 0 && wm_mesh_info_of(mesh(), &info, nullptr) == WM_STATUS_OK && ref <= info.polygons;
    }
    dtStatus getTileAndPolyByRef(dtPolyRef, const dtMeshTile **, const dtPoly **) const { return DT_FAILURE | DT_INVALID_PARAM; }
    dtStatus getOffMeshConnectionPolyEndPoints(dtPolyRef, dtPolyRef, float *, float *) const { return DT_FAILURE | DT_INVALID_PARAM; }

    /* For waymesh: the mesh, read when it is first asked for; NULL if it cannot be read, and then error() says why. */
    const wm_mesh *mesh() const {
        if (mesh_ || tiles_ == 0) return mesh_;
        const int32_t header[3] = {'M' << 24 | 'S' << 16 | 'E' << 8 | 'T', 1, static_cast<int32_t>(tiles_)};
        std::vector<uint8_t> file(sizeof header + sizeof params_ + bytes_.size());
        std::memcpy(file.data(), header, sizeof header);
        std::memcpy(file.data() + sizeof header, &params_, sizeof params_);
        std::memcpy(file.data() + sizeof header + sizeof params_, bytes_.data(), bytes_.size());
        wm_error error;
        if (wm_mesh_read(file.data(), file.size(), &mesh_, &error) != WM_STATUS_OK) error_ = error.text;
        return mesh_;
    }
    const std::string &error() const { return error_; }

private:
    void append(const void *data, size_t size) {
        const uint8_t *first = static_cast<const uint8_t *>(data);
        bytes_.insert(bytes_.end(), first, first + size);
    }

    dtNavMeshParams params_ = {};
    std::vector<uint8_t> bytes_;
    std::vector<unsigned char *> owned_;
    size_t tiles_ = 0;
    mutable wm_mesh *mesh_ = nullptr;
    mutable std::string error_;
};

inline dtNavMesh *dtAllocNavMesh() { return new dtNavMesh; }
inline void dtFreeNavMesh(dtNavMesh *mesh) { delete mesh; }

#endif
