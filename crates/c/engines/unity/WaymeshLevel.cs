// A level that is baked when the scene begins, from the meshes below this object. Put it on an empty object.

using System.Collections.Generic;
using System.Threading.Tasks;
using UnityEngine;
using Waymesh;

public class WaymeshLevel : MonoBehaviour
{
    public float agentRadius = 0.5f;

    /// The mesh, once it is baked; null before.
    public NavMesh Mesh { get; private set; }

    Query query;
    Vec3[] points;
    Task<NavMesh> bake;

    void OnEnable()
    {
        var vertices = new List<Vec3>();
        var triangles = new List<uint>();
        foreach (var filter in GetComponentsInChildren<MeshFilter>())
        {
            if (filter.sharedMesh == null) continue;
            var first = (uint)vertices.Count;
            foreach (var vertex in filter.sharedMesh.vertices)
            {
                var at = filter.transform.TransformPoint(vertex);
                vertices.Add(LeftHanded.Position(at.x, at.y, at.z));
            }
            var corners = LeftHanded.Triangles(filter.sharedMesh.triangles);
            // An object that is mirrored shows its triangles turned round.
            if (filter.transform.localToWorldMatrix.determinant < 0) System.Array.Reverse(corners);
            foreach (var index in corners) triangles.Add(first + index);
        }
        query = new Query();
        // Unity's objects are used by the main thread only; the arrays are ours.
        bake = Task.Run(() =>
        {
            var settings = new Settings { { "agent_radius", agentRadius } };
            return NavMesh.Bake(vertices.ToArray(), triangles.ToArray(), null, settings);
        });
    }

    void Update()
    {
        if (bake == null || !bake.IsCompleted) return;
        if (bake.IsFaulted) Debug.LogException(bake.Exception);
        else Mesh = bake.Result;
        bake = null;
    }

    /// The shortest path, or one to the reachable place nearest to the goal; empty before the level is baked, and where no ground is
    /// near one of both.
    public List<Vector3> FindPath(Vector3 from, Vector3 to)
    {
        var path = new List<Vector3>();
        if (Mesh == null) return path;
        Vec3 start = LeftHanded.Position(from.x, from.y, from.z), goal = LeftHanded.Position(to.x, to.y, to.z);
        Place near;
        if (!Mesh.Nearest(start, out near) || !Mesh.Nearest(goal, out near)) return path;
        int count;
        query.FindPath(Mesh, start, goal, PathSearch.Shortest, ref points, out count);
        for (int at = 0; at < count; at++) path.Add(new Vector3(points[at].X, points[at].Y, -points[at].Z));
        return path;
    }

    void OnDisable()
    {
        // A bake that goes on is dropped when it is done.
        if (bake != null) bake.ContinueWith(done => { if (!done.IsFaulted) done.Result.Dispose(); });
        bake = null;
        if (Mesh != null) Mesh.Dispose();
        Mesh = null;
        query.Dispose();
    }
}
