//! Pointers that C gives: arrays, strings, and places to write to. All `unsafe` code is here.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::path::PathBuf;

use crate::status::{Failure, Status};

/// A place of the caller's to write to, which may be null.
pub(crate) type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;

/// Writes to a place that must not be null.
pub(crate) fn put<T>(name: &'static str, out: Out<'_, T>, value: T) -> Result<(), Failure> {
    out.ok_or_else(|| null(name))?.write(value);
    Ok(())
}

/// The error for a parameter that is null.
pub(crate) fn null(name: &'static str) -> Failure {
    Failure::new(Status::BadArgument, format!("{name} is NULL"))
}

/// A reference that must not be null.
pub(crate) fn given<T>(name: &'static str, reference: Option<T>) -> Result<T, Failure> {
    reference.ok_or_else(|| null(name))
}

/// An array of the caller's. Null is fine for none.
///
/// # Safety
/// `first` points to `count` initialised elements that nobody writes to while the slice lives, or
/// is null.
pub(crate) unsafe fn slice<'a, T>(
    name: &'static str,
    first: *const T,
    count: usize,
) -> Result<&'a [T], Failure> {
    check(name, first, count)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: `check` refused null, misaligned and overlong arrays; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// A buffer of the caller's, which may hold anything. Null is fine for none.
///
/// # Safety
/// `first` points to room for `count` elements that nobody else uses while the slice lives, or is
/// null.
pub(crate) unsafe fn buffer<'a, T>(
    name: &'static str,
    first: *mut T,
    count: usize,
) -> Result<&'a mut [MaybeUninit<T>], Failure> {
    check(name, first, count)?;
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: `check` refused null, misaligned and overlong arrays; the rest is the caller's promise,
    // and memory that is not initialised is a `MaybeUninit`.
    Ok(unsafe { std::slice::from_raw_parts_mut(first.cast(), count) })
}

fn check<T>(name: &'static str, first: *const T, count: usize) -> Result<(), Failure> {
    if count == 0 {
        return Ok(());
    }
    if first.is_null() {
        return Err(Failure::new(
            Status::BadArgument,
            format!("{name} is NULL, but is to have {count} elements"),
        ));
    }
    if !first.is_aligned() {
        return Err(Failure::new(Status::BadArgument, format!("{name} is not aligned for its type")));
    }
    if count > isize::MAX.unsigned_abs() / size_of::<T>().max(1) {
        let text = format!("{name} cannot have {count} elements: no memory is that large");
        return Err(Failure::new(Status::BadArgument, text));
    }
    Ok(())
}

/// Copies as many items as fit and writes their number.
pub(crate) fn fill<T: Copy>(
    name: &'static str,
    buffer: &mut [MaybeUninit<T>],
    count: Out<'_, usize>,
    items: impl ExactSizeIterator<Item = T>,
) -> Result<(), Failure> {
    let (capacity, there) = (buffer.len(), items.len());
    for (slot, item) in buffer.iter_mut().zip(items) {
        slot.write(item);
    }
    put("count", count, there)?;
    if there > capacity {
        let text = format!("{name} has room for {capacity} elements, and there are {there}");
        return Err(Failure::new(Status::BufferTooSmall, text));
    }
    Ok(())
}

/// Copies as many items as fit to a buffer of the caller's and writes their number.
///
/// # Safety
/// As for [`buffer`].
pub(crate) unsafe fn copy<T: Copy>(
    name: &'static str,
    first: *mut T,
    capacity: usize,
    count: Out<'_, usize>,
    items: impl ExactSizeIterator<Item = T>,
) -> Result<(), Failure> {
    // SAFETY: the caller promises what `buffer` requires.
    fill(name, unsafe { buffer(name, first, capacity)? }, count, items)
}

/// Checks that a structure which names its size is the one that this library knows.
pub(crate) fn check_size<T>(size: usize, call_first: &str) -> Result<(), Failure> {
    if size == size_of::<T>() {
        return Ok(());
    }
    let text = format!("settings.size is {size}, but must be {}: call {call_first} first", size_of::<T>());
    Err(Failure::new(Status::BadArgument, text))
}

/// The name of a file.
///
/// # Safety
/// That of [`text_of`].
pub(crate) unsafe fn file_name(name: &'static str, text: *const c_char) -> Result<PathBuf, Failure> {
    // SAFETY: the caller promises what `text_of` requires.
    unsafe { text_of(name, text) }.map(PathBuf::from)
}

/// A text of the caller's.
///
/// # Safety
/// `text` is null or points to a string that ends in a zero byte and that nobody writes to while
/// the text lives.
pub(crate) unsafe fn text_of<'a>(name: &'static str, text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(null(name));
    }
    // SAFETY: it is not null; the rest is the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Failure::new(Status::BadArgument, format!("{name} is not UTF-8")))
}
