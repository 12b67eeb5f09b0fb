// A module of the library alone: Source/ThirdParty/Waymesh, with waymesh.h and WaymeshNavMesh.h in include and the static library in lib.

using System.IO;
using UnrealBuildTool;

public class Waymesh : ModuleRules
{
    public Waymesh(ReadOnlyTargetRules Target) : base(Target)
    {
        Type = ModuleType.External;
        PublicSystemIncludePaths.Add(Path.Combine(ModuleDirectory, "include"));
        bool IsWindows = Target.Platform == UnrealTargetPlatform.Win64;
        PublicAdditionalLibraries.Add(Path.Combine(ModuleDirectory, "lib", IsWindows ? "waymesh_c.lib" : "libwaymesh_c.a"));
        if (IsWindows) PublicSystemLibraries.AddRange(new[] { "ws2_32.lib", "userenv.lib", "ntdll.lib", "bcrypt.lib" });
    }
}
