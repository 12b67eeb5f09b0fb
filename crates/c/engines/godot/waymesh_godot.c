/* A navigation mesh as a class of Godot 3 (GDNative, NativeScript), over waymesh.h: see README.md beside this file.

   Methods return false, null or an empty array where they fail; error() then has the text. Positions are those of Godot: metres, y up,
   right-handed, as in waymesh. One object serves one thread at a time. */

#include <stdlib.h>
#include <string.h>

#include <gdnative_api_struct.gen.h>

#include "waymesh.h"

static const godot_gdnative_core_api_struct *api;
static const godot_gdnative_ext_nativescript_api_struct *scripts;

_Static_assert(sizeof(godot_vector3) == sizeof(wm_vec3), "three floats");
_Static_assert(sizeof(godot_int) == sizeof(uint32_t), "numbers of vertices");

typedef struct level {
    wm_mesh *mesh;
    wm_query *query;
    wm_error error;
} level;

/* Values. */

static godot_variant nothing(void) {
    godot_variant value;
    api->godot_variant_new_nil(&value);
    return value;
}

static godot_variant truth(bool is_so) {
    godot_variant value;
    api->godot_variant_new_bool(&value, is_so);
    return value;
}

static godot_variant text_of(const char *text) {
    godot_string string = api->godot_string_chars_to_utf8(text);
    godot_variant value;
    api->godot_variant_new_string(&value, &string);
    api->godot_string_destroy(&string);
    return value;
}

static godot_variant vector_of(wm_vec3 at) {
    godot_vector3 vector;
    api->godot_vector3_new(&vector, at.x, at.y, at.z);
    godot_variant value;
    api->godot_variant_new_vector3(&value, &vector);
    return value;
}

static wm_vec3 position_of(const godot_variant *value) {
    const godot_vector3 vector = api->godot_variant_as_vector3(value);
    return (wm_vec3){
        api->godot_vector3_get_axis(&vector, GODOT_VECTOR3_AXIS_X),
        api->godot_vector3_get_axis(&vector, GODOT_VECTOR3_AXIS_Y),
        api->godot_vector3_get_axis(&vector, GODOT_VECTOR3_AXIS_Z),
    };
}

static bool fail(level *self, const char *text) {
    self->error.status = WM_STATUS_BAD_ARGUMENT;
    strncpy(self->error.text, text, WM_ERROR_TEXT - 1);
    return false;
}

/* Checks arguments: V for a Vector3, v for a PoolVector3Array, i for a PoolIntArray, r for a number, b for a bool, s for a String. */
static bool takes(level *self, const char *kinds, int count, godot_variant **values, const char *what) {
    bool is_good = count == (int)strlen(kinds);
    for (int at = 0; is_good && at < count; at++) {
        const godot_variant_type type = api->godot_variant_get_type(values[at]);
        switch (kinds[at]) {
        case 'V': is_good = type == GODOT_VARIANT_TYPE_VECTOR3; break;
        case 'v': is_good = type == GODOT_VARIANT_TYPE_POOL_VECTOR3_ARRAY; break;
        case 'i': is_good = type == GODOT_VARIANT_TYPE_POOL_INT_ARRAY; break;
        case 'r': is_good = type == GODOT_VARIANT_TYPE_REAL || type == GODOT_VARIANT_TYPE_INT; break;
        case 'b': is_good = type == GODOT_VARIANT_TYPE_BOOL; break;
        default: is_good = type == GODOT_VARIANT_TYPE_STRING;
        }
    }
    return is_good || fail(self, what);
}

static bool has_mesh(level *self) {
    return self->mesh != NULL || fail(self, "there is no mesh: bake or open one first");
}

static bool keep(level *self, wm_status status, wm_mesh *mesh) {
    if (status != WM_STATUS_OK) return false;
    wm_mesh_free(self->mesh);
    self->mesh = mesh;
    return true;
}

/* Methods. */

/* bake(vertices: PoolVector3Array, triangles: PoolIntArray, agent_radius: float) -> bool */
static godot_variant bake(godot_object *object, void *data, void *user, int count, godot_variant **values) {
    (void)object, (void)data;
    level *self = user;
    if (!takes(self, "vir", count, values, "bake takes a PoolVector3Array, a PoolIntArray and a number")) return truth(false);
    const wm_setting radius = {.name = "agent_radius", .number = api->godot_variant_as_real(values[2])};
    godot_pool_vector3_array vertices = api->godot_variant_as_pool_vector3_array(values[0]);
    godot_pool_int_array triangles = api->godot_variant_as_pool_int_array(values[1]);
    godot_pool_vector3_array_read_access *places = api->godot_pool_vector3_array_read(&vertices);
    godot_pool_int_array_read_access *corners = api->godot_pool_int_array_read(&triangles);
    const size_t numbers = (size_t)api->godot_pool_int_array_size(&triangles);
    wm_mesh *mesh = NULL;
    wm_status status = WM_STATUS_BAD_ARGUMENT;
    if (numbers % 3 != 0) {
        fail(self, "bake takes three numbers for each triangle");
    } else {
        /* A negative number is too large as an unsigned one, and refused as that. */
        const wm_triangles scene = {.vertices = (const wm_vec3 *)api->godot_pool_vector3_array_read_access_ptr(places),
                                    .vertex_count = (size_t)api->godot_pool_vector3_array_size(&vertices),
                                    .indices = (const uint32_t *)api->godot_pool_int_array_read_access_ptr(corners),
                                    .count = numbers / 3};
        status = wm_mesh_bake(&scene, &radius, 1, NULL, NULL, &mesh, &self->error);
    }
    api->godot_pool_vector3_array_read_access_destroy(places);
    api->godot_pool_int_array_read_access_destroy(corners);
    api->godot_pool_vector3_array_destroy(&vertices);
    api->godot_pool_int_array_destroy(&triangles);
    return truth(keep(self, status, mesh));
}

/* A path of this system from one of Godot's, such as "res://level.wmesh". */
static godot_char_string file_of(const godot_variant *value) {
    godot_string string = api->godot_variant_as_string(value);
    godot_char_string file = api->godot_string_utf8(&string);
    api->godot_string_destroy(&string);
    return file;
}

/* open(file: String) -> bool, by ProjectSettings.globalize_path */
static godot_variant open_file(godot_object *object, void *data, void *user, int count, godot_variant **values) {
    (void)object, (void)data;
    level *self = user;
    if (!takes(self, "s", count, values, "open takes the name of a file")) return truth(false);
    godot_char_string file = file_of(values[0]);
    wm_mesh *mesh = NULL;
    const wm_status status = wm_mesh_open(api->godot_char_string_get_data(&file), &mesh, &self->error);
    api->godot_char_string_destroy(&file);
    return truth(keep(self, status, mesh));
}

/* save(file: String) -> bool */
static godot_variant save(godot_object *object, void *data, void *user, int count, godot_variant **values) {
    (void)object, (void)data;
    level *self = user;
    if (!takes(self, "s", count, values, "save takes the name of a file") || !has_mesh(self)) return truth(false);
    godot_char_string file = file_of(values[0]);
    const wm_status status = wm_mesh_save(self->mesh, api->godot_char_string_get_data(&file), &self->error);
    api->godot_char_string_destroy(&file);
    return truth(status == WM_STATUS_OK);
}

/* find_path(from: Vector3, to: Vector3, shortest: bool) -> PoolVector3Array */
static godot_variant find_path(godot_object *object, void *data, void *user, int count, godot_variant **values) {
    (void)object, (void)data;
    level *self = user;
    godot_pool_vector3_array points;
    api->godot_pool_vector3_array_new(&points);
    wm_query_settings settings;
    if (takes(self, "VVb", count, values, "find_path takes two Vector3 and a bool") && has_mesh(self)
        && wm_query_settings_default(&settings, &self->error) == WM_STATUS_OK) {
        if (api->godot_variant_as_bool(values[2])) settings.search = WM_SEARCH_SHORTEST;
        wm_path_info info = {0};
        wm_status status = WM_STATUS_BUFFER_TOO_SMALL;
        /* The second time there is room for all. */
        for (size_t room = 64; status == WM_STATUS_BUFFER_TOO_SMALL; room = info.points) {
            api->godot_pool_vector3_array_resize(&points, (godot_int)room);
            godot_pool_vector3_array_write_access *access = api->godot_pool_vector3_array_write(&points);
            wm_vec3 *to = (wm_vec3 *)api->godot_pool_vector3_array_write_access_ptr(access);
            status = wm_find_path(self->mesh, self->query, position_of(values[0]), position_of(values[1]), &settings, to, room, &info,
                                  &self->error);
            api->godot_pool_vector3_array_write_access_destroy(access);
        }
        api->godot_pool_vector3_array_resize(&points, status == WM_STATUS_OK ? (godot_int)info.points : 0);
    }
    godot_variant value;
    api->godot_variant_new_pool_vector3_array(&value, &points);
    api->godot_pool_vector3_array_destroy(&points);
    return value;
}

/* nearest(position: Vector3) -> Vector3 or null */
static godot_variant nearest(godot_object *object, void *data, void *user, int count, godot_variant **values) {
    (void)object, (void)data;
    level *self = user;
    wm_place place;
    if (!takes(self, "V", count, values, "nearest takes a Vector3") || !has_mesh(self)
        || wm_nearest(self->mesh, position_of(values[0]), NULL, &place, &self->error) != WM_STATUS_OK) {
        return nothing();
    }
    return vector_of(place.position);
}

/* raycast(from: Vector3, to: Vector3) -> Vector3 or null: where a straight walk ends */
static godot_variant raycast(godot_object *object, void *data, void *user, int count, godot_variant **values) {
    (void)object, (void)data;
    level *self = user;
    wm_place place;
    wm_ray ray;
    if (!takes(self, "VV", count, values, "raycast takes two Vector3") || !has_mesh(self)
        || wm_nearest(self->mesh, position_of(values[0]), NULL, &place, &self->error) != WM_STATUS_OK
        || wm_raycast(self->mesh, self->query, &place, position_of(values[1]), NULL, &ray, &self->error) != WM_STATUS_OK) {
        return nothing();
    }
    return vector_of(ray.end.position);
}

/* error() -> String: of the last call that failed */
static godot_variant error(godot_object *object, void *data, void *user, int count, godot_variant **values) {
    (void)object, (void)data, (void)count, (void)values;
    const level *self = user;
    return text_of(self->error.text);
}

/* The class. */

static void *create(godot_object *object, void *data) {
    (void)object, (void)data;
    level *self = api->godot_alloc(sizeof *self);
    *self = (level){0};
    if (wm_query_new(&self->query, &self->error) != WM_STATUS_OK) {
        api->godot_print_error(self->error.text, __func__, __FILE__, __LINE__);
    }
    return self;
}

static void destroy(godot_object *object, void *data, void *user) {
    (void)object, (void)data;
    level *self = user;
    wm_mesh_free(self->mesh);
    wm_query_free(self->query);
    api->godot_free(self);
}

typedef godot_variant (*method)(godot_object *, void *, void *, int, godot_variant **);

GDN_EXPORT void godot_nativescript_init(void *handle) {
    const char *name = "WaymeshNavMesh";
    scripts->godot_nativescript_register_class(handle, name, "Reference", (godot_instance_create_func){.create_func = create},
                                               (godot_instance_destroy_func){.destroy_func = destroy});
    static const struct {
        const char *name;
        method call;
    } methods[] = {{"bake", bake},           {"open", open_file},   {"save", save},      {"find_path", find_path},
                   {"nearest", nearest}, {"raycast", raycast}, {"error", error}};
    for (size_t at = 0; at < sizeof methods / sizeof *methods; at++) {
        scripts->godot_nativescript_register_method(handle, name, methods[at].name, (godot_method_attributes){GODOT_METHOD_RPC_MODE_DISABLED},
                                                    (godot_instance_method){.method = methods[at].call});
    }
}

GDN_EXPORT void godot_gdnative_init(godot_gdnative_init_options *options) {
    api = options->api_struct;
    for (unsigned at = 0; at < api->num_extensions; at++) {
        if (api->extensions[at]->type == GDNATIVE_EXT_NATIVESCRIPT) {
            scripts = (const godot_gdnative_ext_nativescript_api_struct *)api->extensions[at];
        }
    }
}

GDN_EXPORT void godot_gdnative_terminate(godot_gdnative_terminate_options *options) {
    (void)options;
    api = NULL;
    scripts = NULL;
}
