// A navigation mesh of waymesh in Unreal's terms: centimetres, x forward, y to the right, z up, left-handed. Header only.

#pragma once

#include "CoreMinimal.h"

#include "waymesh.h"

/** Between Unreal's system and that of waymesh, which is right-handed, in metres, y up. */
namespace WaymeshSpace
{
    inline wm_vec3 From(const FVector& At)
    {
        return {static_cast<float>(At.Y / 100.0), static_cast<float>(At.Z / 100.0), static_cast<float>(-At.X / 100.0)};
    }

    inline FVector To(const wm_vec3& At)
    {
        return FVector(-100.0 * At.z, 100.0 * At.x, 100.0 * At.y);
    }
}

/** A mesh. Any number of threads may use it at the same time; bake it in a task. */
class FWaymeshNavMesh
{
public:
    FWaymeshNavMesh() = default;
    FWaymeshNavMesh(const FWaymeshNavMesh&) = delete;
    FWaymeshNavMesh& operator=(const FWaymeshNavMesh&) = delete;

    ~FWaymeshNavMesh()
    {
        wm_mesh_free(Mesh);
    }

    /** The middle of a level far from the world's origin, before it is baked: the mesh has single precision. */
    FVector Origin = FVector(0, 0, 0);

    /** Bakes triangles, three indices each, whose fronts turn as those of Unreal's meshes do. Lengths in centimetres. */
    bool Bake(const TArray<FVector>& Vertices, const TArray<uint32>& Indices, float AgentRadius, FString& Error)
    {
        wm_setting Radius{};
        Radius.name = "agent_radius";
        Radius.number = AgentRadius / 100.0;
        wm_error Why{};
        TArray<wm_vec3> Positions;
        Positions.Reserve(Vertices.Num());
        for (const FVector& At : Vertices) Positions.Add(WaymeshSpace::From(At - Origin));
        wm_triangles Scene{};
        Scene.vertices = Positions.GetData();
        Scene.vertex_count = Positions.Num();
        Scene.indices = Indices.GetData();
        Scene.count = Indices.Num() / 3;
        wm_mesh* Baked = nullptr;
        if (wm_mesh_bake(&Scene, &Radius, 1, nullptr, nullptr, &Baked, &Why) != WM_STATUS_OK) return Fail(Why, Error);
        wm_mesh_free(Mesh);
        Mesh = Baked;
        return true;
    }

    /** The shortest path; false where there is none, or no mesh near. A query serves one thread at a time. */
    bool FindPath(wm_query* Query, const FVector& From, const FVector& To, TArray<FVector>& Path, FString& Error) const
    {
        wm_query_settings Settings;
        wm_error Why{};
        if (wm_query_settings_default(&Settings, &Why) != WM_STATUS_OK) return Fail(Why, Error);
        Settings.search = WM_SEARCH_SHORTEST;
        Settings.allow_partial = 0;
        TArray<wm_vec3> Points;
        Points.SetNumUninitialized(64);
        wm_path_info Info{};
        wm_status Status;
        while ((Status = wm_find_path(Mesh, Query, WaymeshSpace::From(From - Origin), WaymeshSpace::From(To - Origin), &Settings, Points.GetData(),
                                      Points.Num(), &Info, &Why)) == WM_STATUS_BUFFER_TOO_SMALL)
        {
            Points.SetNumUninitialized(Info.points);
        }
        if (Status != WM_STATUS_OK) return Fail(Why, Error);
        Path.Reset();
        for (size_t At = 0; At < Info.points; At++) Path.Add(WaymeshSpace::To(Points[At]) + Origin);
        return Info.outcome == WM_OUTCOME_COMPLETE;
    }

private:
    static bool Fail(const wm_error& Why, FString& Error)
    {
        Error = FString(UTF8_TO_TCHAR(Why.text));
        return false;
    }

    wm_mesh* Mesh = nullptr;
};
