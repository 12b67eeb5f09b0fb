// Runs the C# binding in any .NET, and the script of a level over what stands for Unity here.

using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using UnityEngine;
using Waymesh;

// As much of Unity as the script needs.
namespace UnityEngine
{
    public struct Vector3
    {
        public float x, y, z;

        public Vector3(float x, float y, float z)
        {
            this.x = x;
            this.y = y;
            this.z = z;
        }
    }

    public class Mesh
    {
        public Vector3[] vertices;
        public int[] triangles;
    }

    public struct Matrix4x4
    {
        public float determinant;
    }

    // Scaled along x, or mirrored.
    public class Transform
    {
        public float scale = 1;

        public Matrix4x4 localToWorldMatrix { get { return new Matrix4x4 { determinant = scale }; } }

        public Vector3 TransformPoint(Vector3 at)
        {
            return new Vector3(scale * at.x, at.y, at.z);
        }
    }

    public class MeshFilter
    {
        public Mesh sharedMesh;
        public Transform transform = new Transform();
    }

    public class MonoBehaviour
    {
        public MeshFilter[] below;

        public T[] GetComponentsInChildren<T>()
        {
            return (T[])(object)below;
        }
    }

    public static class Debug
    {
        public static void LogException(Exception exception)
        {
            Console.Error.WriteLine(exception);
        }
    }
}

static class Program
{
    static int faults;

    static void Check(bool isSo, string what)
    {
        if (isSo) return;
        faults++;
        Console.Error.WriteLine("FAULT: " + what);
    }

    static Status Fails(Action action, string part)
    {
        try
        {
            action();
        }
        catch (WaymeshException exception)
        {
            Check(exception.Message.Contains(part), exception.Message);
            return exception.Status;
        }
        Check(false, "no error: " + part);
        return Status.Ok;
    }

    // A floor of 20 m by 20 m as Unity has it: left-handed, and fronts turn with the clock.
    static readonly Vector3[] Floor = { new Vector3(0, 0, 0), new Vector3(0, 0, 20), new Vector3(20, 0, 20), new Vector3(20, 0, 0) };
    static readonly int[] Indices = { 0, 1, 2, 0, 2, 3 };

    static NavMesh Bake(int[] indices)
    {
        var vertices = Array.ConvertAll(Floor, at => LeftHanded.Position(at.x, at.y, at.z));
        var settings = new Settings { { "agent_radius", 0.5 }, { "max_edge_length", 0 }, { "height_detail", true }, { "partition", "surfaces" },
            { "areas", "{\"2\": {\"name\": \"S\u00fcmpfe\"}}" } };
        return NavMesh.Bake(vertices, LeftHanded.Triangles(indices), null, settings);
    }

    static void Binding()
    {
        var upsideDown = Fails(() => Bake(new[] { 0, 2, 1, 0, 3, 2 }), "walkable");
        Check(upsideDown == Status.NothingWalkable, "a floor seen from below: " + upsideDown);
        Fails(() => Bake(new[] { 0, 1, 4 }), "4");
        var far = new Settings { { "origin", 500000.25, 0, 0 } };
        foreach (var name in new[] { "agent_radios", "height_detail" })
        {
            var wrong = new Settings { { name, 0.5 } };
            var refused = Fails(() => NavMesh.Bake(new Vec3[0], new uint[0], null, wrong), name);
            Check(refused == Status.BadSetting, "a setting that is none: " + refused);
        }
        var numbers = new[] { 500000.25, 0, 0, 500000.25, 0, -20, 500020.25, 0, -20, 500020.25, 0, 0 };
        using (var mesh = NavMesh.Bake(numbers, LeftHanded.Triangles(Indices), new byte[] { 1, 1 }, far))
        {
            Place near;
            Check(mesh.Nearest(new Vec3(10, 0, -10), out near), "vertices in double precision");
        }
        using (var mesh = Bake(Indices))
        using (var query = new Query())
        {
            // No room at first: the array grows.
            var points = new Vec3[1];
            int count;
            var path = query.FindPath(mesh, new Vec3(2, 0, -2), new Vec3(5, 0, -6), PathSearch.Shortest, ref points, out count);
            Check(path.Outcome == Outcome.Complete && count == 2 && Math.Abs(path.Length - 5) < 1e-4, "a path of 5 m: " + path.Length);
            Check(points.Length == 2 && points[1].X == 5 && points[1].Z == -6, "its points");
            Place place;
            Check(mesh.Nearest(new Vec3(10, 0.5f, -10), out place) && place.Polygon == 0 && place.Generation != 0, "the nearest place");
            Place none;
            Check(!mesh.Nearest(new Vec3(100, 0, 0), out none), "nothing is near");
            var ray = query.Raycast(mesh, place, new Vec3(30, 0, -10));
            Check(ray.Hit && Math.Abs(ray.Fraction - 9.5f / 20) < 0.02 && ray.Normal.X < -0.9f, "a wall: " + ray.Fraction);
            mesh.Save("level.wmesh");
            using (var again = NavMesh.Open("level.wmesh"))
            {
                var same = query.FindPath(again, new Vec3(2, 0, -2), new Vec3(5, 0, -6), PathSearch.Fast, ref points, out count);
                Check(same.Length == path.Length, "the mesh that was saved");
                place.Generation++;
                // A place of another mesh is a position again.
                query.Raycast(again, place, new Vec3(5, 0, -5));
                place.Position = new Vec3(500, 0, 0);
                Check(Fails(() => query.Raycast(again, place, new Vec3(0, 0, 0)), "no mesh near") == Status.NoMeshNear, "far from the mesh");
            }
            Check(Fails(() => NavMesh.Open("nowhere.wmesh"), "nowhere.wmesh") == Status.BadFile, "a file that is not there");
        }
    }

    static void Level()
    {
        var floor = new Mesh { vertices = Floor, triangles = Indices };
        var mirrored = new MeshFilter { sharedMesh = floor, transform = new Transform { scale = -1 } };
        var level = new WaymeshLevel { below = new[] { new MeshFilter { sharedMesh = floor }, mirrored, new MeshFilter() } };
        Action<string> call = name => typeof(WaymeshLevel)
            .GetMethod(name, System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.NonPublic).Invoke(level, null);
        call("OnEnable");
        Check(level.FindPath(new Vector3(2, 0, 2), new Vector3(5, 0, 6)).Count == 0, "it is not baked yet");
        while (level.Mesh == null)
        {
            call("Update");
            Thread.Sleep(1);
        }
        var path = level.FindPath(new Vector3(2, 0, 2), new Vector3(5, 0, 6));
        Check(path.Count == 2 && path[1].x == 5 && path[1].z == 6, "a path in Unity's system");
        path = level.FindPath(new Vector3(-5, 0, 2), new Vector3(5, 0, 6));
        Check(path.Count == 2 && path[0].x == -5, "an object that is mirrored");
        Check(level.FindPath(new Vector3(5, 0, 2), new Vector3(5, 90, 6)).Count == 0, "no ground is near");
        call("OnDisable");
        Check(level.Mesh == null, "it is gone");
    }

    static int Main()
    {
        Binding();
        Level();
        return faults;
    }
}
