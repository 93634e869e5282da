//! What a semaphore carries, as types, for every API: a value is not signalled on a binary semaphore, nor a fence without one.

use clcu_sys::rules::Payload;

mod sealed {
    pub trait Sealed {}
}

/// What an external semaphore carries.
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
    Binary;
    /// A 64-bit value that signals raise: a timeline semaphore of Vulkan, `ID3D12Fence`, `ID3D11Fence`.
    Fence;
    /// A mutex that is acquired and released with a key: `IDXGIKeyedMutex`.
    KeyedMutex;
    /// An `NvSciSyncFence`.
    NvSciSync;
}
