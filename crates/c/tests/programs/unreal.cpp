// Runs the header for Unreal over what stands for Unreal here.
#include "check.h"

#include "WaymeshNavMesh.h"

int main() {
    // A floor of 20 m by 20 m as Unreal has it: centimetres, z up. Fronts turn so that minus their cross product leads out.
    const TArray<FVector> floor{{0, 0, 50}, {2000, 0, 50}, {2000, 2000, 50}, {0, 2000, 50}};
    const TArray<uint32> indices{0, 2, 1, 0, 3, 2}, turned{0, 1, 2, 0, 2, 3};
    FString error;
    FWaymeshNavMesh mesh;
    CHECK(!mesh.Bake(floor, turned, 50, error) && error.find("walkable") != std::string::npos);
    CHECK(mesh.Bake(floor, indices, 50, error));
    CHECK(!mesh.Bake(floor, indices, -50, error) && !error.empty());
    const FVector there = WaymeshSpace::To(WaymeshSpace::From(FVector(100, -200, 300)));
    CHECK(there.X == 100 && there.Y == -200 && there.Z == 300);
    wm_query *query = nullptr;
    CHECK(wm_query_new(&query, nullptr) == WM_STATUS_OK);
    TArray<FVector> path;
    CHECK(mesh.FindPath(query, FVector(200, 200, 50), FVector(500, 600, 50), path, error));
    CHECK(path.Num() == 2 && path[1].X > 499.9 && path[1].X < 500.1 && path[1].Y > 599.9 && path[1].Y < 600.1);
    CHECK(path[1].Z > 40 && path[1].Z < 60);
    CHECK(!mesh.FindPath(query, FVector(20000, 200, 50), FVector(500, 600, 50), path, error));
    CHECK(error.find("no mesh near") != std::string::npos);

    // Thousands of kilometres from the world's origin, where single precision has steps of a quarter of a metre.
    const FVector far(3e8 + 5, -2e8 + 3, 40);
    TArray<FVector> there_too;
    for (const FVector &at : floor) there_too.Add(at + far);
    mesh.Origin = far;
    CHECK(mesh.Bake(there_too, indices, 50, error));
    CHECK(mesh.FindPath(query, FVector(200, 200, 50) + far, FVector(500, 600, 50) + far, path, error) && path.Num() == 2);
    const FVector end = path[1] - far;
    CHECK(end.X > 499.9 && end.X < 500.1 && end.Y > 599.9 && end.Y < 600.1);
    wm_query_free(query);
}
