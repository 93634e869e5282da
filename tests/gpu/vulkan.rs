//! The Vulkan side: in, a loader and a device with timeline semaphores; out, semaphores and buffers that are exported as file descriptors,
//! and submissions that write and read them.
//!
//! What fails here is no fact about clcu, so it panics with Vulkan's own code. Only that there is no Vulkan is told apart.

use std::{
    ffi::CStr,
    os::fd::{FromRawFd as _, OwnedFd},
    slice,
    sync::OnceLock,
};

use ash::{khr, vk};

/// Nothing on a GPU takes so long, in nanoseconds. What takes longer waits for something that does not come.
const LONG: u64 = 20_000_000_000;

/// A device and its one queue.
pub(crate) struct Vulkan {
    /// Keeps the loader.
    entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    queue: vk::Queue,
    family: u32,
    pool: vk::CommandPool,
    types: vk::PhysicalDeviceMemoryProperties,
    semaphore_fd: khr::external_semaphore_fd::Device,
    memory_fd: khr::external_memory_fd::Device,
    pub(crate) name: String,
    pub(crate) uuid: [u8; 16],
}

/// A buffer whose memory is exported.
#[derive(Clone, Copy)]
pub(crate) struct Exported {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    /// The bytes of the memory: what CUDA is told.
    pub(crate) size: u64,
    /// The bytes of the buffer.
    pub(crate) bytes: u64,
    pub(crate) dedicated: bool,
}

/// What a submission waits for or signals: a semaphore, and the value if it is a timeline.
pub(crate) type Point = (vk::Semaphore, u64);

const OPAQUE_SEMAPHORE: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
const OPAQUE_MEMORY: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

impl Vulkan {
    /// The first device that exports semaphores and memory by file descriptors, or why there is none.
    pub(crate) fn open() -> Result<Self, String> {
        // SAFETY: the loader is the system's.
        let entry = unsafe { ash::Entry::load() }.map_err(|error| format!("no Vulkan loader: {error}"))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let create = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the structure and what it points to live long enough.
        let instance = unsafe { entry.create_instance(&create, None) }.map_err(|error| format!("no Vulkan instance: {error}"))?;
        // SAFETY: the instance is alive.
        let devices = unsafe { instance.enumerate_physical_devices() }.map_err(|error| format!("no Vulkan device: {error}"))?;
        let wanted = [khr::external_semaphore_fd::NAME, khr::external_memory_fd::NAME];
        let has = |device: &vk::PhysicalDevice| {
            // SAFETY: the device is one of the instance's.
            let extensions = unsafe { instance.enumerate_device_extension_properties(*device) }.unwrap_or_default();
            let named = |name: &&CStr| extensions.iter().any(|one| one.extension_name_as_c_str() == Ok(name));
            wanted.iter().all(named)
        };
        let Some(physical) = devices.into_iter().find(has) else {
            // SAFETY: nothing of it is used any more.
            unsafe { instance.destroy_instance(None) };
            return Err("no Vulkan device exports file descriptors".to_owned());
        };
        Ok(Self::of(entry, instance, physical, &wanted.map(CStr::as_ptr)))
    }

    fn of(
        entry: ash::Entry,
        instance: ash::Instance,
        physical: vk::PhysicalDevice,
        extensions: &[*const std::ffi::c_char],
    ) -> Self {
        let mut identity = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut identity);
        // SAFETY: the device is one of the instance's, and the results are written to memory that is ours.
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        let name = properties.properties.device_name_as_c_str().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // SAFETY: as above.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let works =
            |family: &vk::QueueFamilyProperties| family.queue_flags.intersects(vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE);
        let family = families.iter().position(works).and_then(|at| u32::try_from(at).ok()).expect("a queue that computes can copy");
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
        let mut features = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(extensions)
            .push_next(&mut features);
        // SAFETY: the structures live long enough.
        let device = unsafe { instance.create_device(physical, &create, None) }.expect("the device has what it lists");
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { device.get_device_queue(family, 0) };
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: the device is alive.
        let pool = unsafe { device.create_command_pool(&pool, None) }.expect("a pool can be made");
        // SAFETY: the device is one of the instance's.
        let types = unsafe { instance.get_physical_device_memory_properties(physical) };
        let semaphore_fd = khr::external_semaphore_fd::Device::new(&instance, &device);
        let memory_fd = khr::external_memory_fd::Device::new(&instance, &device);
        let uuid = identity.device_uuid;
        Self { entry, instance, device, queue, family, pool, types, semaphore_fd, memory_fd, name, uuid }
    }

    /// A binary semaphore, or a timeline semaphore with its first value.
    pub(crate) fn semaphore(&self, timeline: Option<u64>) -> vk::Semaphore {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(OPAQUE_SEMAPHORE);
        let kind = if timeline.is_some() { vk::SemaphoreType::TIMELINE } else { vk::SemaphoreType::BINARY };
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind).initial_value(timeline.unwrap_or(0));
        let create = vk::SemaphoreCreateInfo::default().push_next(&mut export).push_next(&mut kind);
        // SAFETY: the structures live long enough.
        unsafe { self.device.create_semaphore(&create, None) }.expect("a semaphore can be made")
    }

    pub(crate) fn export_semaphore(&self, semaphore: vk::Semaphore) -> OwnedFd {
        let get = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(OPAQUE_SEMAPHORE);
        // SAFETY: the semaphore is alive, and was made to be exported so. The descriptor is new and the caller's.
        unsafe { OwnedFd::from_raw_fd(self.semaphore_fd.get_semaphore_fd(&get).expect("it is exported")) }
    }

    pub(crate) fn destroy_semaphore(&self, semaphore: vk::Semaphore) {
        // SAFETY: it is alive, and nothing is submitted that uses it: every submission here is waited for.
        unsafe { self.device.destroy_semaphore(semaphore, None) };
    }

    /// What a timeline semaphore holds.
    pub(crate) fn value(&self, semaphore: vk::Semaphore) -> u64 {
        // SAFETY: it is alive.
        unsafe { self.device.get_semaphore_counter_value(semaphore) }.expect("a timeline semaphore has a value")
    }

    /// Signals a timeline semaphore from this thread.
    pub(crate) fn host_signal(&self, (semaphore, value): Point) {
        let signal = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
        // SAFETY: it is alive.
        unsafe { self.device.signal_semaphore(&signal) }.expect("the value is above the last");
    }

    /// Waits for a timeline semaphore on this thread.
    pub(crate) fn host_wait(&self, (semaphore, value): Point) {
        let (semaphores, values) = ([semaphore], [value]);
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: it is alive.
        unsafe { self.device.wait_semaphores(&wait, LONG) }.expect("the value comes");
    }

    /// A buffer in memory of the device that can be exported.
    pub(crate) fn exported(&self, bytes: u64, dedicated: bool) -> Exported {
        let buffer = self.buffer(bytes, true);
        // SAFETY: the buffer is alive.
        let needs = unsafe { self.device.get_buffer_memory_requirements(buffer) };
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_MEMORY);
        let mut alone = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let index = self.memory_type(needs.memory_type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL);
        let mut allocate =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index).push_next(&mut export);
        if dedicated {
            allocate = allocate.push_next(&mut alone);
        }
        let memory = self.allocate_and_bind(buffer, &allocate);
        Exported { buffer, memory, size: needs.size, bytes, dedicated }
    }

    pub(crate) fn export_memory(&self, exported: Exported) -> OwnedFd {
        let get = vk::MemoryGetFdInfoKHR::default().memory(exported.memory).handle_type(OPAQUE_MEMORY);
        // SAFETY: the memory is alive, and was made to be exported so. The descriptor is new and the caller's.
        unsafe { OwnedFd::from_raw_fd(self.memory_fd.get_memory_fd(&get).expect("it is exported")) }
    }

    pub(crate) fn free(&self, exported: Exported) {
        self.free_buffer(exported.buffer, exported.memory);
    }

    /// Waits for a point, fills the buffer with a word, and signals another.
    pub(crate) fn fill(&self, exported: Exported, word: u32, wait: Option<Point>, signal: Point) {
        self.submit(wait, Some(signal), |commands| {
            self.own(commands, exported, vk::AccessFlags::TRANSFER_WRITE, true);
            // SAFETY: the buffer is alive, and the command buffer is being recorded.
            unsafe { self.device.cmd_fill_buffer(commands, exported.buffer, 0, exported.bytes, word) };
            self.own(commands, exported, vk::AccessFlags::TRANSFER_WRITE, false);
        });
    }

    /// Waits for a point, copies the buffer to memory of the host, and gives its words.
    pub(crate) fn read(&self, exported: Exported, wait: Point, signal: Option<Point>) -> Vec<u32> {
        let buffer = self.buffer(exported.bytes, false);
        // SAFETY: the buffer is alive.
        let needs = unsafe { self.device.get_buffer_memory_requirements(buffer) };
        let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let index = self.memory_type(needs.memory_type_bits, visible);
        let allocate = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        let memory = self.allocate_and_bind(buffer, &allocate);
        self.submit(Some(wait), signal, |commands| {
            self.own(commands, exported, vk::AccessFlags::TRANSFER_READ, true);
            let region = vk::BufferCopy::default().size(exported.bytes);
            // SAFETY: both buffers are alive and as long as the region.
            unsafe { self.device.cmd_copy_buffer(commands, exported.buffer, buffer, &[region]) };
            self.own(commands, exported, vk::AccessFlags::TRANSFER_READ, false);
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ);
            let (from, to) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
            // SAFETY: the command buffer is being recorded.
            unsafe { self.device.cmd_pipeline_barrier(commands, from, to, vk::DependencyFlags::empty(), &[barrier], &[], &[]) };
        });
        // SAFETY: the memory is the host's to map, and is not mapped yet.
        let mapped =
            unsafe { self.device.map_memory(memory, 0, exported.bytes, vk::MemoryMapFlags::empty()) }.expect("it is mapped");
        let words = usize::try_from(exported.bytes / 4).expect("it is in memory");
        // SAFETY: so many words are mapped, the copy into them is done, and mappings are aligned beyond words.
        let words = unsafe { slice::from_raw_parts(mapped.cast::<u32>(), words) }.to_vec();
        self.free_buffer(buffer, memory);
        words
    }

    fn buffer(&self, bytes: u64, exported: bool) -> vk::Buffer {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE_MEMORY);
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let mut create = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        if exported {
            create = create.push_next(&mut external);
        }
        // SAFETY: the structures live long enough.
        unsafe { self.device.create_buffer(&create, None) }.expect("a buffer can be made")
    }

    fn allocate_and_bind(&self, buffer: vk::Buffer, allocate: &vk::MemoryAllocateInfo<'_>) -> vk::DeviceMemory {
        // SAFETY: the structures live long enough.
        let memory = unsafe { self.device.allocate_memory(allocate, None) }.expect("the device has memory");
        // SAFETY: the memory is of a type and size that the buffer takes.
        unsafe { self.device.bind_buffer_memory(buffer, memory, 0) }.expect("it is bound once");
        memory
    }

    fn free_buffer(&self, buffer: vk::Buffer, memory: vk::DeviceMemory) {
        // SAFETY: both are alive, and nothing is submitted that uses them: every submission here is waited for.
        unsafe {
            self.device.destroy_buffer(buffer, None);
            self.device.free_memory(memory, None);
        }
    }

    fn memory_type(&self, allowed: u32, wanted: vk::MemoryPropertyFlags) -> u32 {
        let fits = |(index, kind): &(u32, &vk::MemoryType)| allowed & (1 << index) != 0 && kind.property_flags.contains(wanted);
        (0..).zip(self.types.memory_types_as_slice()).find(fits).expect("there is such memory").0
    }

    /// Takes the buffer from whoever shares it, or gives it back.
    fn own(&self, commands: vk::CommandBuffer, exported: Exported, access: vk::AccessFlags, takes: bool) {
        let barrier = vk::BufferMemoryBarrier::default().buffer(exported.buffer).size(vk::WHOLE_SIZE);
        let barrier = if takes {
            barrier.src_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL).dst_queue_family_index(self.family).dst_access_mask(access)
        } else {
            barrier.src_queue_family_index(self.family).dst_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL).src_access_mask(access)
        };
        let stage = vk::PipelineStageFlags::TRANSFER;
        // SAFETY: the command buffer is being recorded, and the buffer is alive.
        unsafe { self.device.cmd_pipeline_barrier(commands, stage, stage, vk::DependencyFlags::empty(), &[], &[barrier], &[]) };
    }

    /// Records commands, submits them and waits until they are done.
    fn submit(&self, wait: Option<Point>, signal: Option<Point>, record: impl FnOnce(vk::CommandBuffer)) {
        let device = &self.device;
        let allocate = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: the pool is alive and used by one thread at a time.
        let commands = unsafe { device.allocate_command_buffers(&allocate) }.expect("a command buffer can be made");
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is new.
        unsafe { device.begin_command_buffer(commands[0], &begin) }.expect("it can be recorded");
        record(commands[0]);
        // SAFETY: it is being recorded.
        unsafe { device.end_command_buffer(commands[0]) }.expect("what was recorded is good");
        let (waits, wait_values): (Vec<_>, Vec<_>) = wait.into_iter().unzip();
        let (signals, signal_values): (Vec<_>, Vec<_>) = signal.into_iter().unzip();
        let stages = [vk::PipelineStageFlags::TRANSFER];
        let mut timeline =
            vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&wait_values).signal_semaphore_values(&signal_values);
        let submit = vk::SubmitInfo::default()
            .command_buffers(&commands)
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages[..waits.len()])
            .signal_semaphores(&signals)
            .push_next(&mut timeline);
        // SAFETY: everything that the structures name is alive until the fence is signalled.
        unsafe {
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence can be made");
            device.queue_submit(self.queue, &[submit], fence).expect("it is submitted");
            device.wait_for_fences(&[fence], true, LONG).expect("it is done");
            device.destroy_fence(fence, None);
            device.free_command_buffers(self.pool, &commands);
        }
    }
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        // The driver's library is not unloaded and loaded again for each test: the system has room for some thirty times.
        static FIRST: OnceLock<(ash::Entry, ash::Instance)> = OnceLock::new();
        if FIRST.get().is_none() {
            // SAFETY: nothing is submitted, and nothing else uses them; the instance stays.
            unsafe {
                self.device.destroy_command_pool(self.pool, None);
                self.device.destroy_device(None);
            }
            FIRST.get_or_init(|| (self.entry.clone(), self.instance.clone()));
            return;
        }
        // SAFETY: nothing is submitted, and nothing else uses them. A failed test may leave objects, and the process with them.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
