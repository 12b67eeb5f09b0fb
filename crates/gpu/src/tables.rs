//! Tables on the device, and staging buffers for reading them back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytemuck::Pod;
use wgpu::BufferUsages;

use crate::{GpuContext, GpuError, GpuTimes};

/// Reserved memory of the device for a buffer, released on drop.
#[derive(Debug)]
pub(crate) struct Memory {
    used: Arc<AtomicU64>,
    bytes: u64,
}

impl Memory {
    /// Reserves memory, unless more than `limit` bytes would be in use.
    pub(crate) fn take(used: &Arc<AtomicU64>, bytes: u64, limit: u64) -> Option<Self> {
        let more = |used: u64| used.checked_add(bytes).filter(|&all| all <= limit);
        used.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        Some(Self { used: Arc::clone(used), bytes })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

/// A buffer and the memory that it takes.
#[derive(Debug)]
struct Store {
    // Before the memory: fields are dropped in this order.
    buffer: wgpu::Buffer,
    bytes: u64,
    _memory: Memory,
}

impl Store {
    fn new(
        context: &GpuContext,
        what: &'static str,
        bytes: u64,
        usage: BufferUsages,
    ) -> Result<Self, GpuError> {
        let bytes = bytes.next_multiple_of(16).max(16);
        let (has, limit) = context.table_limit();
        if bytes > has {
            return Err(GpuError::TooLarge { what, needed: bytes, limit, has });
        }
        let memory = context.take_memory(what, bytes)?;
        let descriptor =
            wgpu::BufferDescriptor { label: Some(what), size: bytes, usage, mapped_at_creation: false };
        let buffer = context.guarded(what, bytes, || context.device.create_buffer(&descriptor))?;
        Ok(Self { buffer, bytes, _memory: memory })
    }
}

/// A buffer that grows. Its content is lost when it grows.
#[derive(Debug)]
pub(crate) struct Table {
    what: &'static str,
    usage: BufferUsages,
    store: Store,
}

impl Table {
    /// Creates a table of numbers that shaders read and write.
    pub(crate) fn new(context: &GpuContext, what: &'static str, bytes: u64) -> Result<Self, GpuError> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        Ok(Self { what, usage, store: Store::new(context, what, bytes, usage)? })
    }

    /// Creates a table for the settings of shaders.
    pub(crate) fn settings(context: &GpuContext, bytes: u64) -> Result<Self, GpuError> {
        let (what, usage) = ("settings", BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        Ok(Self { what, usage, store: Store::new(context, what, bytes, usage)? })
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.store.buffer
    }

    /// Grows the table to this number of bytes.
    pub(crate) fn reserve(&mut self, context: &GpuContext, bytes: u64) -> Result<(), GpuError> {
        if bytes > self.store.bytes {
            // It grows by half within the limit, so that it does not grow often.
            let wanted = bytes.max((self.store.bytes / 2 * 3).min(context.table_limit().0));
            self.store = match Store::new(context, self.what, wanted, self.usage) {
                Err(GpuError::OutOfMemory { .. }) if wanted > bytes => {
                    Store::new(context, self.what, bytes, self.usage)?
                }
                grown => grown?,
            };
        }
        Ok(())
    }

    /// Writes `values` to its beginning, after all work that was submitted before.
    pub(crate) fn write<T: Pod>(
        &mut self,
        context: &GpuContext,
        values: &[T],
        times: &mut GpuTimes,
    ) -> Result<(), GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let size = bytes.len() as u64;
        self.reserve(context, size)?;
        let start = Instant::now();
        context.guarded(self.what, size, || context.queue.write_buffer(&self.store.buffer, 0, bytes))?;
        times.upload += start.elapsed();
        times.uploaded_bytes += size;
        Ok(())
    }
}

/// Staging buffers from which the processor reads: a growing buffer for each table that is read.
#[derive(Debug, Default)]
pub(crate) struct Staging(Vec<Store>);

impl Staging {
    /// Returns the buffer for the read with this index, grown to the number of bytes.
    pub(crate) fn reserve(
        &mut self,
        context: &GpuContext,
        index: usize,
        bytes: u64,
    ) -> Result<wgpu::Buffer, GpuError> {
        let new = || {
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            Store::new(context, "read back", bytes, usage)
        };
        if index >= self.0.len() {
            self.0.push(new()?);
        }
        let store = self.0.get_mut(index).ok_or(GpuError::OutOfMemory { what: "read back", bytes })?;
        if store.bytes < bytes {
            *store = new()?;
        }
        Ok(store.buffer.clone())
    }
}

/// A pool of unused tables.
#[derive(Debug)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Pool<T> {
    fn all(&self) -> std::sync::MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes tables out of the pool, or creates new ones.
    pub(crate) fn take(&self, new: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
        let free = self.all().pop();
        free.map_or_else(new, Ok)
    }

    pub(crate) fn give(&self, tables: T) {
        self.all().push(tables);
    }

    /// Releases the memory of all unused tables.
    pub(crate) fn clear(&self) {
        self.all().clear();
    }
}
