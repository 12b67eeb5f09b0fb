/* waymesh in C++17: handles that free themselves, std::vector for buffers, and exceptions for errors. Everything is in waymesh.h; this header
adds no function of its own. */
#ifndef WAYMESH_HPP
#define WAYMESH_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "waymesh.h"

namespace waymesh {

/* What went wrong, with the text of the library. */
class Error : public std::runtime_error {
public:
    explicit Error(const wm_error &error) : std::runtime_error(error.text), status_(error.status) {}
    wm_status status() const noexcept { return status_; }

private:
    wm_status status_;
};

namespace detail {

/* Calls a function whose last parameter is the error. */
template <typename Function, typename... Arguments>
void call(Function function, Arguments... arguments) {
    wm_error error;
    if (function(arguments..., &error) != WM_STATUS_OK) throw Error(error);
}

/* The value that a function writes before the error. */
template <typename Value, typename Function, typename... Arguments>
Value get(Function function, Arguments... arguments) {
    Value value{};
    call(function, arguments..., &value);
    return value;
}

/* All that a function writes to a buffer. */
template <typename Item, typename Handle>
std::vector<Item> all(wm_status (*function)(Handle, Item *, size_t, size_t *, wm_error *), Handle handle) {
    std::vector<Item> items;
    size_t count = 0;
    wm_error error;
    wm_status status = function(handle, nullptr, 0, &count, &error);
    if (status == WM_STATUS_BUFFER_TOO_SMALL) {
        items.resize(count);
        status = function(handle, items.data(), items.size(), &count, &error);
    }
    if (status != WM_STATUS_OK) throw Error(error);
    return items;
}

template <typename Type, void (*Free)(Type *)>
struct Free_ {
    void operator()(Type *handle) const noexcept { Free(handle); }
};

template <typename Type, void (*Free)(Type *)>
using Handle = std::unique_ptr<Type, Free_<Type, Free>>;

} // namespace detail

/* A setting of a bake: {"agent_radius", 0.5}, {"partition", "watershed"}, {"height_detail", false}. Names, texts and numbers must outlive it. */
struct Setting : wm_setting {
    Setting(const char *of, const char *value) : Setting(of) { text = value; }
    Setting(const char *of, bool value) : Setting(of, value ? "true" : "false") {}
    template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
    Setting(const char *of, Number value) : Setting(of) { number = static_cast<double>(value); }
    Setting(const char *of, const double *values, size_t length) : Setting(of) { numbers = values, count = length; }

private:
    explicit Setting(const char *of) : wm_setting{} { name = of; }
};
static_assert(sizeof(Setting) == sizeof(wm_setting), "arrays of both are the same");

/* Settings over the defaults of their pipeline. */
using Settings = std::vector<Setting>;

namespace detail {

/* Triangles in vectors, three indices each. `areas` is empty or has one for each. */
inline wm_triangles triangles(size_t vertices, const std::vector<uint32_t> &indices, const std::vector<uint8_t> &areas) {
    if (!areas.empty() && areas.size() != indices.size() / 3) throw std::invalid_argument("areas: there must be one for each triangle");
    wm_triangles all{};
    all.vertex_count = vertices;
    all.indices = indices.data();
    all.count = indices.size() / 3;
    all.areas = areas.empty() ? nullptr : areas.data();
    return all;
}

} // namespace detail

/* Triangles, three indices each; `areas` is empty or has one for each. The vectors must outlive what this returns. */
inline wm_triangles triangles(const std::vector<wm_vec3> &vertices, const std::vector<uint32_t> &indices, const std::vector<uint8_t> &areas = {}) {
    wm_triangles all = detail::triangles(vertices.size(), indices, areas);
    all.vertices = vertices.data();
    return all;
}
/* The same in double precision, three numbers a vertex: for scenes far from their origin. */
inline wm_triangles triangles(const std::vector<double> &vertices, const std::vector<uint32_t> &indices, const std::vector<uint8_t> &areas = {}) {
    wm_triangles all = detail::triangles(vertices.size() / 3, indices, areas);
    all.doubles = vertices.data();
    return all;
}

/* Told of a stage and the part of it that is done; returns false to end the bake. On a thread of the bake; it must not throw. */
using Progress = std::function<bool(const char *stage, float done)>;

/* A path: see wm_path_info. */
struct Path {
    wm_path_info info;
    std::vector<wm_vec3> points;
};

/* The default settings of queries. What they point to must outlive the calls. */
inline wm_query_settings query_settings() { return detail::get<wm_query_settings>(wm_query_settings_default); }

/* A link from point to point: open, both ways, at no extra cost. */
inline wm_link link_between(const wm_place &from, const wm_place &to) { return detail::get<wm_link>(wm_link_between, &from, &to); }

/* A navigation mesh. Copies share it. */
class Mesh {
public:
    static Mesh bake(const wm_triangles &triangles, const Settings &settings = {}, const Progress &progress = {}) {
        wm_mesh *mesh = nullptr;
        detail::call(wm_mesh_bake, &triangles, settings.data(), settings.size(), progress ? &tell : nullptr, user(progress), &mesh);
        return Mesh(mesh);
    }
    static Mesh bake_file(const std::string &file, const Settings &settings = {}, const Progress &progress = {}) {
        wm_mesh *mesh = nullptr;
        detail::call(wm_mesh_bake_file, file.c_str(), settings.data(), settings.size(), progress ? &tell : nullptr, user(progress), &mesh);
        return Mesh(mesh);
    }
    static Mesh open(const std::string &file) { return Mesh(detail::get<wm_mesh *>(wm_mesh_open, file.c_str())); }
    static Mesh read(const std::vector<uint8_t> &bytes) { return Mesh(detail::get<wm_mesh *>(wm_mesh_read, bytes.data(), bytes.size())); }

    /* Takes a handle over. */
    explicit Mesh(wm_mesh *mesh) : mesh_(mesh) {}
    Mesh(const Mesh &other) : mesh_(detail::get<wm_mesh *>(wm_mesh_share, static_cast<const wm_mesh *>(other.get()))) {}
    Mesh(Mesh &&) noexcept = default;
    Mesh &operator=(Mesh other) noexcept {
        std::swap(mesh_, other.mesh_);
        return *this;
    }

    void save(const std::string &file) const { detail::call(wm_mesh_save, get(), file.c_str()); }
    wm_mesh_info info() const { return detail::get<wm_mesh_info>(wm_mesh_info_of, get()); }
    std::vector<wm_vec3> vertices() const { return detail::all<wm_vec3>(wm_mesh_vertices, get()); }
    std::vector<uint32_t> corners() const { return detail::all<uint32_t>(wm_mesh_corners, get()); }
    std::vector<uint32_t> polygon_starts() const { return detail::all<uint32_t>(wm_mesh_polygon_starts, get()); }
    std::vector<uint8_t> areas() const { return detail::all<uint8_t>(wm_mesh_areas, get()); }
    wm_place nearest(wm_vec3 position, const wm_query_settings *settings = nullptr) const {
        return detail::get<wm_place>(wm_nearest, get(), position, settings);
    }
    wm_place nearest(wm_vec3 position, const wm_reach &reach) const {
        wm_query_settings settings = query_settings();
        settings.reach = &reach;
        return nearest(position, &settings);
    }
    std::vector<wm_place> random_places(uint64_t seed, size_t count, const wm_query_settings *settings = nullptr) const {
        std::vector<wm_place> places(count);
        detail::call(wm_random_places, get(), seed, settings, places.data(), places.size());
        return places;
    }
    std::vector<wm_link> links() const { return detail::all<wm_link>(wm_mesh_links, get()); }
    /* Links change this object and not its copies. */
    uint64_t add_link(const wm_link &link) { return detail::get<uint64_t>(wm_mesh_add_link, mesh_.get(), &link); }
    void remove_link(uint64_t link) { detail::call(wm_mesh_remove_link, mesh_.get(), link); }
    void set_link_open(uint64_t link, bool is_open) { detail::call(wm_mesh_set_link_open, mesh_.get(), link, uint32_t{is_open}); }
    /* For plain paths on large meshes, of this object and not of its copies. */
    void build_hierarchy(uint32_t min_polygons = 20000) { detail::call(wm_mesh_build_hierarchy, mesh_.get(), min_polygons); }
    /* For shortest paths without filter and costs, of this object and not of its copies. Returns the share of the area that it covers. */
    double build_oracle(size_t max_bytes = 64000000) { return detail::get<double>(wm_mesh_build_oracle, mesh_.get(), max_bytes); }
    const wm_mesh *get() const noexcept { return mesh_.get(); }

private:
    static void *user(const Progress &progress) { return const_cast<void *>(static_cast<const void *>(&progress)); }
    static int32_t tell(void *user, const char *stage, float done) { return (*static_cast<const Progress *>(user))(stage, done) ? 1 : 0; }

    detail::Handle<wm_mesh, wm_mesh_free> mesh_;
};

/* Queries of one thread. */
class Query {
public:
    Query() : query_(detail::get<wm_query *>(wm_query_new)) {}

    Path find_path(const Mesh &mesh, wm_vec3 from, wm_vec3 to, const wm_query_settings *settings = nullptr) {
        return grown([&](wm_vec3 *points, size_t capacity, wm_path_info *info, wm_error *error) {
            return wm_find_path(mesh.get(), get(), from, to, settings, points, capacity, info, error);
        });
    }
    Path find_path(const wm_discs *discs, wm_vec3 from, wm_vec3 to, float radius, wm_search search = WM_SEARCH_SHORTEST) {
        return grown([&](wm_vec3 *points, size_t capacity, wm_path_info *info, wm_error *error) {
            return wm_discs_find_path(discs, get(), from, to, radius, search, points, capacity, info, error);
        });
    }
    std::vector<uint32_t> polygons() const { return detail::all<uint32_t>(wm_query_polygons, static_cast<const wm_query *>(query_.get())); }
    wm_ray raycast(const Mesh &mesh, const wm_place &from, wm_vec3 to, const wm_query_settings *settings = nullptr) {
        return detail::get<wm_ray>(wm_raycast, mesh.get(), get(), &from, to, settings);
    }
    wm_place move_along(const Mesh &mesh, const wm_place &from, wm_vec3 to, const wm_query_settings *settings = nullptr) {
        return detail::get<wm_place>(wm_move_along, mesh.get(), get(), &from, to, settings);
    }
    wm_wall nearest_wall(const Mesh &mesh, const wm_place &from, float radius, const wm_query_settings *settings = nullptr) {
        return detail::get<wm_wall>(wm_nearest_wall, mesh.get(), get(), &from, radius, settings);
    }
    wm_query *get() noexcept { return query_.get(); }

private:
    /* A path with a buffer that is large enough the second time. */
    template <typename Find>
    Path grown(Find find) {
        Path path{{}, std::vector<wm_vec3>(32)};
        wm_error error;
        wm_status status = find(path.points.data(), path.points.size(), &path.info, &error);
        if (status == WM_STATUS_BUFFER_TOO_SMALL) {
            path.points.resize(path.info.points);
            status = find(path.points.data(), path.points.size(), &path.info, &error);
        }
        if (status != WM_STATUS_OK) throw Error(error);
        path.points.resize(path.info.points);
        return path;
    }

    detail::Handle<wm_query, wm_query_free> query_;
};

/* A mesh for discs of any radius. */
class Discs {
public:
    explicit Discs(const Mesh &mesh) : discs_(detail::get<wm_discs *>(wm_discs_new, mesh.get())) {}
    Path find_path(Query &query, wm_vec3 from, wm_vec3 to, float radius, wm_search search = WM_SEARCH_SHORTEST) const {
        return query.find_path(get(), from, to, radius, search);
    }
    const wm_discs *get() const noexcept { return discs_.get(); }

private:
    detail::Handle<wm_discs, wm_discs_free> discs_;
};

/* A world with obstacles and marks that come and go. */
class World {
public:
    World(wm_vec3 min, wm_vec3 max, const Settings &settings = {})
        : world_(detail::get<wm_world *>(wm_world_new, min, max, settings.data(), settings.size())) {}

    void add_triangles(const wm_triangles &triangles) { detail::call(wm_world_add_triangles, get(), &triangles); }
    uint64_t add_obstacle(const wm_shape &shape, bool walkable = false) {
        return detail::get<uint64_t>(wm_world_add_obstacle, get(), &shape, uint32_t{walkable});
    }
    void remove_obstacle(uint64_t obstacle) { detail::call(wm_world_remove_obstacle, get(), obstacle); }
    uint64_t add_mark(const wm_shape &shape, uint8_t area) { return detail::get<uint64_t>(wm_world_add_mark, get(), &shape, area); }
    void remove_mark(uint64_t mark) { detail::call(wm_world_remove_mark, get(), mark); }
    uint64_t add_link(const wm_link &link) { return detail::get<uint64_t>(wm_world_add_link, get(), &link); }
    void remove_link(uint64_t link) { detail::call(wm_world_remove_link, get(), link); }
    void set_link_open(uint64_t link, bool is_open) { detail::call(wm_world_set_link_open, get(), link, uint32_t{is_open}); }
    /* The oracle of a mesh of this world, or none with nullptr. */
    void set_oracle(const Mesh *mesh) { detail::call(wm_world_set_oracle, get(), mesh ? mesh->get() : nullptr); }
    wm_update update() { return detail::get<wm_update>(wm_world_update, get()); }
    Mesh mesh() const { return Mesh(detail::get<wm_mesh *>(wm_world_mesh, static_cast<const wm_world *>(world_.get()))); }
    wm_world *get() noexcept { return world_.get(); }

private:
    detail::Handle<wm_world, wm_world_free> world_;
};

/* A crowd on a mesh, or on its discs: then each agent plans by its own radius. */
class Crowd {
public:
    Crowd() : crowd_(detail::get<wm_crowd *>(wm_crowd_new)) {}

    uint64_t add(const Mesh &mesh, wm_vec3 position, const wm_agent_settings *settings = nullptr) {
        return detail::get<uint64_t>(wm_crowd_add, get(), mesh.get(), position, settings);
    }
    uint64_t add(const Discs &discs, wm_vec3 position, const wm_agent_settings *settings = nullptr) {
        return detail::get<uint64_t>(wm_crowd_add_discs, get(), discs.get(), position, settings);
    }
    void remove(uint64_t agent) { detail::call(wm_crowd_remove, get(), agent); }
    void set_target(const Mesh &mesh, uint64_t agent, wm_vec3 target) { detail::call(wm_crowd_set_target, get(), mesh.get(), agent, target); }
    void set_position(const Mesh &mesh, uint64_t agent, wm_vec3 position) { detail::call(wm_crowd_set_position, get(), mesh.get(), agent, position); }
    void set_link_rule(const Mesh &mesh, uint64_t link, float seconds, uint32_t capacity) {
        detail::call(wm_crowd_set_link_rule, get(), mesh.get(), link, seconds, capacity);
    }
    void step(const Mesh &mesh, float seconds) { detail::call(wm_crowd_step, get(), mesh.get(), seconds); }
    void set_target(const Discs &discs, uint64_t agent, wm_vec3 target) {
        detail::call(wm_crowd_set_target_discs, get(), discs.get(), agent, target);
    }
    void set_position(const Discs &discs, uint64_t agent, wm_vec3 position) {
        detail::call(wm_crowd_set_position_discs, get(), discs.get(), agent, position);
    }
    void step(const Discs &discs, float seconds) { detail::call(wm_crowd_step_discs, get(), discs.get(), seconds); }
    wm_agent_state agent(uint64_t agent) const {
        return detail::get<wm_agent_state>(wm_crowd_agent, static_cast<const wm_crowd *>(crowd_.get()), agent);
    }
    wm_crowd *get() noexcept { return crowd_.get(); }

private:
    detail::Handle<wm_crowd, wm_crowd_free> crowd_;
};

} // namespace waymesh

#endif
