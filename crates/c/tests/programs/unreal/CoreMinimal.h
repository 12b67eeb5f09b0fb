// As much of Unreal as its header needs here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#define UTF8_TO_TCHAR(text) (text)

using uint32 = std::uint32_t;
using FString = std::string;

struct FVector {
    double X, Y, Z;
    FVector(double x, double y, double z) : X(x), Y(y), Z(z) {}
    FVector operator+(const FVector &other) const { return FVector(X + other.X, Y + other.Y, Z + other.Z); }
    FVector operator-(const FVector &other) const { return FVector(X - other.X, Y - other.Y, Z - other.Z); }
};

template <typename T> class TArray : std::vector<T> {
    using Base = std::vector<T>;

public:
    using Base::Base;
    using Base::begin;
    using Base::end;
    using Base::operator[];
    void Reserve(std::size_t count) { Base::reserve(count); }
    void Add(const T &value) { Base::push_back(value); }
    void Reset() { Base::clear(); }
    void SetNumUninitialized(std::size_t count) { Base::resize(count); }
    T *GetData() { return Base::data(); }
    const T *GetData() const { return Base::data(); }
    std::size_t Num() const { return Base::size(); }
};
