//! Types of other APIs that the registry mentions: what each is in Rust, decided one by one.
//!
//! `clcu-sys` has no dependencies, so Direct3D's and VA-API's types are declared here as far as a caller needs them: objects that are
//! only pointed to are opaque, and numbers have the width that their own API gives them.

use crate::model::CType;

/// A type of another API.
pub(super) struct External {
    pub(super) name: &'static str,
    /// In the model's notation.
    ctype: &'static str,
    /// Its API exists on Windows only.
    pub(super) windows: bool,
    /// Why this type.
    pub(super) reason: &'static str,
}

const fn external(name: &'static str, ctype: &'static str, windows: bool, reason: &'static str) -> External {
    External { name, ctype, windows, reason }
}

const INTERFACE: &str = "a COM interface, which is only ever pointed to";

const EXTERNALS: &[External] = &[
    external("ID3D10Buffer", "c_void", true, INTERFACE),
    external("ID3D10Texture2D", "c_void", true, INTERFACE),
    external("ID3D10Texture3D", "c_void", true, INTERFACE),
    external("ID3D11Buffer", "c_void", true, INTERFACE),
    external("ID3D11Texture2D", "c_void", true, INTERFACE),
    external("ID3D11Texture3D", "c_void", true, INTERFACE),
    external("IDirect3DSurface9", "c_void", true, INTERFACE),
    external("D3DFORMAT", "u32", true, "an enum of 32 bits: its last value forces them"),
    external("DXGI_FORMAT", "u32", true, "an enum of 32 bits: its last value forces them"),
    external("HANDLE", "*mut c_void", true, "Win32 defines it as a pointer to void"),
    external("UINT", "u32", true, "Win32 defines it as an unsigned int"),
    external("VASurfaceID", "u32", false, "VA-API defines it as an unsigned int"),
    external("VAImageFormat", "c_void", false, "a struct of VA-API that only pointers lead to here"),
];

/// Headers that exist on Windows only. An extension that requires one exists there only, too.
const WINDOWS_HEADERS: &[&str] =
    &["d3d9.h", "d3d9types.h", "d3d10.h", "d3d11.h", "dxgiformat.h", "dxvahd.h", "wtypes.h", "windows.h"];

pub(super) fn find(name: &str) -> Option<&'static External> {
    EXTERNALS.iter().find(|external| external.name == name)
}

pub(super) fn is_windows_header(name: &str) -> bool {
    WINDOWS_HEADERS.contains(&name)
}

/// Whether `ctype` mentions a type of Windows.
pub(super) fn mentions_windows(ctype: &CType) -> bool {
    let mut found = false;
    ctype.names(&mut |name| found |= find(name).is_some_and(|external| external.windows));
    found
}

impl External {
    pub(super) fn ctype(&self) -> CType {
        match self.ctype {
            "*mut c_void" => CType::Void.pointer_to_mut(),
            name => CType::named(name),
        }
    }
}
