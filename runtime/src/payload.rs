//! What a semaphore carries, as types, for every API: a value is not signalled on a binary semaphore, nor a fence without one.

use clcu_sys::rules::Payload;

mod sealed {
    pub trait Sealed {}
}

/// What an external semaphore carries.
///
/// No type but those of this crate has it.
pub trait Kind: sealed::Sealed {
    /// The same as data.
    const PAYLOAD: Payload;
}

macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident;)*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}

            impl sealed::Sealed for $name {}

            impl Kind for $name {
                const PAYLOAD: Payload = Payload::$name;
            }
        )*
    };
}

kinds! {
    /// Signalled or not: `VkSemaphore` of the type `VK_SEMAPHORE_TYPE_BINARY`.
    ///
    /// Source: `VkSemaphoreType` of the Vulkan specification; `CL_SEMAPHORE_TYPE_BINARY_KHR` of the OpenCL API specification, with
    /// `cl_khr_semaphore`.
    Binary;
    /// A 64-bit value that signals raise: a timeline semaphore of Vulkan, `ID3D12Fence`, `ID3D11Fence`.
    ///
    /// Source: `params.fence.value` of `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS` of `cuda.h`; `cl_semaphore_payload_khr` of the OpenCL
    /// API specification, with `cl_khr_semaphore`.
    Fence;
    /// A mutex that is acquired and released with a key: `IDXGIKeyedMutex`.
    ///
    /// Source: `params.keyedMutex` of `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS` of `cuda.h`.
    KeyedMutex;
    /// An `NvSciSyncFence`.
    ///
    /// Source: `params.nvSciSync` of `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS` of `cuda.h`.
    NvSciSync;
}
