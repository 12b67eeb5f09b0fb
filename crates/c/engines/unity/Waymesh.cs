// waymesh for C#: Unity, or any other .NET. Put this file beside your scripts, and the library (waymesh_c.dll, libwaymesh_c.so,
// libwaymesh_c.dylib) into Assets/Plugins. Positions are those of waymesh: metres, y up, right-handed; LeftHanded converts Unity's.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Waymesh
{
    /// <summary>A position or a direction, in metres.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Vec3
    {
        public float X, Y, Z;

        public Vec3(float x, float y, float z)
        {
            X = x;
            Y = y;
            Z = z;
        }
    }

    /// <summary>From Unity's left-handed system, and to it: z is negated, and triangles turn round.</summary>
    public static class LeftHanded
    {
        public static Vec3 Position(float x, float y, float z)
        {
            return new Vec3(x, y, -z);
        }

        /// <summary>The triangles of one of Unity's meshes, whose fronts stay in front.</summary>
        public static uint[] Triangles(int[] indices)
        {
            var turned = new uint[indices.Length];
            for (int at = 0; at < indices.Length; at++)
            {
                int corner = at % 3;
                turned[at] = checked((uint)indices[at - corner + (3 - corner) % 3]);
            }
            return turned;
        }
    }

    public enum Status
    {
        Ok, BadArgument, BadSetting, BadFile, NothingWalkable, BakeFailed, NoMeshNear, QueryFailed, BufferTooSmall, Cancelled, Panic,
    }

    public enum PathSearch : uint { Fast, Shortest }

    public enum Outcome { Complete, Partial, Unreachable, Undecided }

    public class WaymeshException : Exception
    {
        public Status Status { get; private set; }

        public WaymeshException(Status status, string text) : base(text)
        {
            Status = status;
        }
    }

    /// <summary>Settings of a bake by their names, as the guide lists them: new Settings { { "agent_radius", 0.4 }, { "pipeline", "slices" } }.
    /// What is not given keeps the default of the pipeline.</summary>
    public sealed class Settings : IEnumerable
    {
        readonly List<Native.Setting> all = new List<Native.Setting>();

        public void Add(string name, double number)
        {
            all.Add(new Native.Setting { Name = name, Number = number });
        }

        /// <summary>A word, or a list or an object as JSON.</summary>
        public void Add(string name, string text)
        {
            all.Add(new Native.Setting { Name = name, Text = text });
        }

        public void Add(string name, bool flag)
        {
            Add(name, flag ? "true" : "false");
        }

        /// <summary>A list of numbers, such as that of origin.</summary>
        public void Add(string name, params double[] numbers)
        {
            var texts = Array.ConvertAll(numbers, number => number.ToString("R", CultureInfo.InvariantCulture));
            Add(name, "[" + string.Join(",", texts) + "]");
        }

        public IEnumerator GetEnumerator()
        {
            return all.GetEnumerator();
        }

        internal Native.Setting[] ToArray()
        {
            return all.ToArray();
        }
    }

    /// <summary>A place on a mesh.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Place
    {
        public uint Polygon;
        public Vec3 Position;
        public ulong Generation;
    }

    /// <summary>What a path is, beside its points. Length in metres.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct PathInfo
    {
        public Outcome Outcome;
        internal UIntPtr Points;
        internal UIntPtr Polygons;
        public float Length, Cost;
    }

    /// <summary>Where a ray ends: at its target, or at a wall.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct RayEnd
    {
        public Place Place;
        public float Fraction;
        readonly uint hit;
        public Vec3 Normal;

        public bool Hit { get { return hit != 0; } }
    }

    /// <summary>A navigation mesh. Any number of threads may use it at the same time.</summary>
    public sealed class NavMesh : IDisposable
    {
        internal readonly Native.MeshHandle Handle;

        NavMesh(Native.MeshHandle handle)
        {
            Handle = handle;
        }

        /// <summary>Bakes triangles, three indices each; areas and settings may be null. Takes as long as it takes: call it from a thread.</summary>
        public static NavMesh Bake(Vec3[] vertices, uint[] triangles, byte[] areas, Settings settings)
        {
            return Bake(vertices, vertices.Length, false, triangles, areas, settings);
        }

        /// <summary>The same in double precision, three numbers a vertex: for scenes far from their origin, which the setting
        /// origin brings near.</summary>
        public static NavMesh Bake(double[] vertices, uint[] triangles, byte[] areas, Settings settings)
        {
            if (vertices.Length % 3 != 0) throw new ArgumentException("three numbers for each vertex", "vertices");
            return Bake(vertices, vertices.Length / 3, true, triangles, areas, settings);
        }

        static NavMesh Bake(Array vertices, int vertexCount, bool areDoubles, uint[] triangles, byte[] areas, Settings settings)
        {
            var count = triangles.Length / 3;
            if (triangles.Length % 3 != 0) throw new ArgumentException("three indices for each triangle", "triangles");
            if (areas != null && areas.Length != count) throw new ArgumentException("one area for each triangle", "areas");
            var pins = new[] { Native.Pin(vertices), Native.Pin(triangles), Native.Pin(areas) };
            try
            {
                var scene = new Native.Triangles
                {
                    Vertices = areDoubles ? IntPtr.Zero : pins[0].AddrOfPinnedObject(),
                    Doubles = areDoubles ? pins[0].AddrOfPinnedObject() : IntPtr.Zero,
                    VertexCount = (UIntPtr)vertexCount,
                    Indices = pins[1].AddrOfPinnedObject(),
                    Count = (UIntPtr)count,
                    Areas = pins[2].AddrOfPinnedObject(),
                };
                var error = new Native.Error();
                Native.MeshHandle mesh;
                var given = settings == null ? new Native.Setting[0] : settings.ToArray();
                error.Check(Native.wm_mesh_bake(ref scene, given, (UIntPtr)given.Length, IntPtr.Zero, IntPtr.Zero, out mesh, error));
                return new NavMesh(mesh);
            }
            finally
            {
                foreach (var pin in pins) pin.Free();
            }
        }

        /// <summary>Opens a .wmesh, a .wmrun, or a file of Detour's.</summary>
        public static NavMesh Open(string file)
        {
            var error = new Native.Error();
            Native.MeshHandle mesh;
            error.Check(Native.wm_mesh_open(Native.Text(file), out mesh, error));
            return new NavMesh(mesh);
        }

        /// <summary>Saves in the format of the name's ending.</summary>
        public void Save(string file)
        {
            var error = new Native.Error();
            error.Check(Native.wm_mesh_save(Handle, Native.Text(file), error));
        }

        /// <summary>The place nearest to a position; false if there is none near.</summary>
        public bool Nearest(Vec3 position, out Place place)
        {
            var error = new Native.Error();
            var status = Native.wm_nearest(Handle, position, IntPtr.Zero, out place, error);
            if (status != Status.NoMeshNear) error.Check(status);
            return status == Status.Ok;
        }

        public void Dispose()
        {
            Handle.Dispose();
        }
    }

    /// <summary>What queries work in: one for each thread, used again and again.</summary>
    public sealed class Query : IDisposable
    {
        readonly Native.QueryHandle handle;

        public Query()
        {
            var error = new Native.Error();
            error.Check(Native.wm_query_new(out handle, error));
        }

        /// <summary>Finds a path. The array of points grows where it has to, and keeps its size otherwise; count says how many there are.</summary>
        public PathInfo FindPath(NavMesh mesh, Vec3 from, Vec3 to, PathSearch search, ref Vec3[] points, out int count)
        {
            var error = new Native.Error();
            Native.QuerySettings settings;
            error.Check(Native.wm_query_settings_default(out settings, error));
            settings.Search = search;
            points = points ?? new Vec3[64];
            for (;;)
            {
                PathInfo info;
                var status = Native.wm_find_path(mesh.Handle, handle, from, to, ref settings, points, (UIntPtr)points.Length, out info, error);
                if (status != Status.BufferTooSmall)
                {
                    error.Check(status);
                    count = (int)info.Points;
                    return info;
                }
                points = new Vec3[(int)info.Points];
            }
        }

        /// <summary>Walks straight on from a place.</summary>
        public RayEnd Raycast(NavMesh mesh, Place from, Vec3 to)
        {
            var error = new Native.Error();
            RayEnd ray;
            error.Check(Native.wm_raycast(mesh.Handle, handle, ref from, to, IntPtr.Zero, out ray, error));
            return ray;
        }

        public void Dispose()
        {
            handle.Dispose();
        }
    }

    /// <summary>waymesh.h, as far as it is used here.</summary>
    static class Native
    {
        const string Library = "waymesh_c";
        const int ErrorText = 512;

        [StructLayout(LayoutKind.Sequential)]
        internal class Error
        {
            Status status;
            [MarshalAs(UnmanagedType.ByValArray, SizeConst = ErrorText)]
            byte[] text = new byte[ErrorText];

            internal void Check(Status got)
            {
                if (got == Status.Ok) return;
                var length = Array.IndexOf(text, (byte)0);
                throw new WaymeshException(got, Encoding.UTF8.GetString(text, 0, length < 0 ? text.Length : length));
            }
        }

        internal class MeshHandle : SafeHandleZeroOrMinusOneIsInvalid
        {
            MeshHandle() : base(true) { }

            protected override bool ReleaseHandle()
            {
                wm_mesh_free(handle);
                return true;
            }
        }

        internal class QueryHandle : SafeHandleZeroOrMinusOneIsInvalid
        {
            QueryHandle() : base(true) { }

            protected override bool ReleaseHandle()
            {
                wm_query_free(handle);
                return true;
            }
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct QuerySettings
        {
            readonly UIntPtr size;
            internal PathSearch Search;
            internal uint AllowPartial, CrossPoints;
            readonly IntPtr reach, areaCosts;
            readonly UIntPtr areaCostCount;
            readonly IntPtr allows, metreCost;
            readonly float leastCost;
            readonly IntPtr linkCost, user;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Setting
        {
            [MarshalAs(UnmanagedType.LPUTF8Str)]
            internal string Name;
            internal double Number;
            [MarshalAs(UnmanagedType.LPUTF8Str)]
            internal string Text;
            readonly IntPtr numbers;
            readonly UIntPtr count;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Triangles
        {
            internal IntPtr Vertices, Doubles;
            internal UIntPtr VertexCount;
            internal IntPtr Indices;
            internal UIntPtr Count;
            internal IntPtr Areas;
        }

        /// <summary>Keeps an array in its place while C reads it; null stays NULL.</summary>
        internal static GCHandle Pin(Array array)
        {
            return GCHandle.Alloc(array, GCHandleType.Pinned);
        }

        /// <summary>A string as C has it.</summary>
        internal static byte[] Text(string text)
        {
            return Encoding.UTF8.GetBytes(text + "\0");
        }

        [DllImport(Library)]
        internal static extern Status wm_mesh_bake(ref Triangles triangles, [In] Setting[] settings, UIntPtr settingCount, IntPtr progress,
            IntPtr user, out MeshHandle mesh, [In, Out] Error error);

        [DllImport(Library)]
        internal static extern Status wm_mesh_open(byte[] file, out MeshHandle mesh, [In, Out] Error error);

        [DllImport(Library)]
        internal static extern Status wm_mesh_save(MeshHandle mesh, byte[] file, [In, Out] Error error);

        [DllImport(Library)]
        static extern void wm_mesh_free(IntPtr mesh);

        [DllImport(Library)]
        internal static extern Status wm_query_new(out QueryHandle query, [In, Out] Error error);

        [DllImport(Library)]
        static extern void wm_query_free(IntPtr query);

        [DllImport(Library)]
        internal static extern Status wm_query_settings_default(out QuerySettings settings, [In, Out] Error error);

        [DllImport(Library)]
        internal static extern Status wm_find_path(MeshHandle mesh, QueryHandle query, Vec3 from, Vec3 to, ref QuerySettings settings,
            [Out] Vec3[] points, UIntPtr capacity, out PathInfo info, [In, Out] Error error);

        [DllImport(Library)]
        internal static extern Status wm_nearest(MeshHandle mesh, Vec3 position, IntPtr settings, out Place place, [In, Out] Error error);

        [DllImport(Library)]
        internal static extern Status wm_raycast(MeshHandle mesh, QueryHandle query, ref Place from, Vec3 to, IntPtr settings,
            out RayEnd ray, [In, Out] Error error);
    }
}
