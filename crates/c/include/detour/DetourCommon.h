/* Vectors as Detour's programs write them. See DetourNavMeshQuery.h. */
#ifndef WAYMESH_DETOUR_COMMON_H
#define WAYMESH_DETOUR_COMMON_H

#include <cfloat>
#include <cmath>

template <class T> inline T dtMin(T a, T b) { return a < b ? a : b; }
template <class T> inline T dtMax(T a, T b) { return a > b ? a : b; }
template <class T> inline T dtAbs(T a) { return a < 0 ? -a : a; }
template <class T> inline T dtSqr(T a) { return a * a; }
template <class T> inline T dtClamp(T value, T low, T high) { return value < low ? low : value > high ? high : value; }
template <class T> inline void dtSwap(T &a, T &b) {
    T kept = a;
    a = b;
    b = kept;
}

inline float dtMathSqrtf(float x) { return std::sqrt(x); }
inline float dtMathFabsf(float x) { return std::fabs(x); }
inline void dtVset(float *to, float x, float y, float z) { to[0] = x, to[1] = y, to[2] = z; }
inline void dtVcopy(float *to, const float *a) { dtVset(to, a[0], a[1], a[2]); }
inline void dtVadd(float *to, const float *a, const float *b) { dtVset(to, a[0] + b[0], a[1] + b[1], a[2] + b[2]); }
inline void dtVsub(float *to, const float *a, const float *b) { dtVset(to, a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
inline void dtVscale(float *to, const float *a, float times) { dtVset(to, a[0] * times, a[1] * times, a[2] * times); }
inline void dtVmad(float *to, const float *a, const float *b, float times) {
    dtVset(to, a[0] + b[0] * times, a[1] + b[1] * times, a[2] + b[2] * times);
}
inline void dtVlerp(float *to, const float *a, const float *b, float share) {
    dtVset(to, a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share);
}
inline float dtVdot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline float dtVdot2D(const float *a, const float *b) { return a[0] * b[0] + a[2] * b[2]; }
inline float dtVlenSqr(const float *a) { return dtVdot(a, a); }
inline float dtVlen(const float *a) { return std::sqrt(dtVlenSqr(a)); }
inline float dtVdistSqr(const float *a, const float *b) {
    float between[3];
    dtVsub(between, a, b);
    return dtVlenSqr(between);
}
inline float dtVdist(const float *a, const float *b) { return std::sqrt(dtVdistSqr(a, b)); }
inline float dtVdist2DSqr(const float *a, const float *b) { return dtSqr(b[0] - a[0]) + dtSqr(b[2] - a[2]); }
inline float dtVdist2D(const float *a, const float *b) { return std::sqrt(dtVdist2DSqr(a, b)); }
inline void dtVnormalize(float *v) { dtVscale(v, v, 1 / dtVlen(v)); }
inline bool dtVequal(const float *a, const float *b) { return dtVdistSqr(a, b) < dtSqr(1.0F / 16384.0F); }

#endif
