//! What kind of memory object is made of external memory: in, sizes in bytes or pixels; out, the records that the commands take.

use clcu_sys::opencl::{
    cl_channel_order, cl_channel_type, cl_image_desc, cl_image_desc_buffer_union, cl_image_format, cl_mem, cl_mem_object_type,
};

/// What a memory object shall be.
///
/// Since OpenCL 1.0. Source: `cl_mem` of the OpenCL API specification.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Object {
    /// A buffer of so many bytes, at least one.
    Buffer {
        /// The bytes.
        size: u64,
    },
    /// An image.
    Image(Image),
    /// A buffer whose size the handle knows: an Android hardware buffer.
    InferredBuffer,
    /// An image whose format and extent the handle knows: an Android hardware buffer.
    InferredImage,
}

impl Object {
    /// A buffer of so many bytes, at least one.
    ///
    /// Since OpenCL 3.0. Source: `clCreateBufferWithProperties` of the OpenCL API specification.
    #[must_use]
    pub const fn buffer(size: u64) -> Self {
        Self::Buffer { size }
    }

    pub(super) const fn is_image(&self) -> bool {
        matches!(self, Self::Image(_) | Self::InferredImage)
    }
}

impl From<Image> for Object {
    fn from(image: Image) -> Self {
        Self::Image(image)
    }
}

/// Format and extent of an image, as the exporting API laid it out.
///
/// The layout itself (tiling) is not among it: OpenCL has no words for it. What a driver takes it for is its own choice, unless it lists the
/// handle type as one whose images are linear; [`Source::linear`](super::Source::linear) asks for that.
///
/// ```
/// use clcu::{opencl::memory::Image, sys::opencl::{cl_channel_order, cl_channel_type}};
/// let image = Image::new_2d(cl_channel_order::CL_RGBA, cl_channel_type::CL_UNORM_INT8, 1920, 1080).row_pitch(7680);
/// assert_eq!(image.descriptor().image_row_pitch, 7680);
/// ```
///
/// Since OpenCL 1.2. Source: `cl_image_format` and `cl_image_desc` of the OpenCL API specification.
#[derive(Clone, Copy)]
pub struct Image {
    format: cl_image_format,
    descriptor: cl_image_desc,
}

impl Image {
    fn new(order: cl_channel_order, channel: cl_channel_type, image_type: cl_mem_object_type, extent: [usize; 3]) -> Self {
        let [image_width, image_height, image_depth] = extent;
        Self {
            format: cl_image_format { image_channel_order: order, image_channel_data_type: channel },
            descriptor: cl_image_desc {
                image_type,
                image_width,
                image_height,
                image_depth,
                image_array_size: 0,
                image_row_pitch: 0,
                image_slice_pitch: 0,
                num_mip_levels: 0,
                num_samples: 0,
                buffer_union: cl_image_desc_buffer_union { mem_object: cl_mem::NULL },
            },
        }
    }

    /// So many pixels in a row, at least one.
    ///
    /// Since OpenCL 1.2. Source: `CL_MEM_OBJECT_IMAGE1D` of the OpenCL API specification.
    #[must_use]
    pub fn new_1d(order: cl_channel_order, channel: cl_channel_type, width: usize) -> Self {
        Self::new(order, channel, cl_mem_object_type::CL_MEM_OBJECT_IMAGE1D, [width, 0, 0])
    }

    /// So many pixels in a row, and so many rows. At least one of each.
    ///
    /// Since OpenCL 1.0. Source: `CL_MEM_OBJECT_IMAGE2D` of the OpenCL API specification.
    #[must_use]
    pub fn new_2d(order: cl_channel_order, channel: cl_channel_type, width: usize, height: usize) -> Self {
        Self::new(order, channel, cl_mem_object_type::CL_MEM_OBJECT_IMAGE2D, [width, height, 0])
    }

    /// So many pixels in a row, so many rows, and so many slices of them. At least one of each.
    ///
    /// Since OpenCL 1.0. Source: `CL_MEM_OBJECT_IMAGE3D` of the OpenCL API specification.
    #[must_use]
    pub fn new_3d(order: cl_channel_order, channel: cl_channel_type, width: usize, height: usize, depth: usize) -> Self {
        Self::new(order, channel, cl_mem_object_type::CL_MEM_OBJECT_IMAGE3D, [width, height, depth])
    }

    /// An array of so many images of one or two dimensions. Those of three have no arrays, and stay as they are.
    ///
    /// Since OpenCL 1.2. Source: `CL_MEM_OBJECT_IMAGE1D_ARRAY` and `CL_MEM_OBJECT_IMAGE2D_ARRAY` of the OpenCL API specification.
    #[must_use]
    pub fn array(mut self, images: usize) -> Self {
        let descriptor = &mut self.descriptor;
        descriptor.image_type = match descriptor.image_type {
            cl_mem_object_type::CL_MEM_OBJECT_IMAGE1D => cl_mem_object_type::CL_MEM_OBJECT_IMAGE1D_ARRAY,
            cl_mem_object_type::CL_MEM_OBJECT_IMAGE2D => cl_mem_object_type::CL_MEM_OBJECT_IMAGE2D_ARRAY,
            _ => return self,
        };
        descriptor.image_array_size = images;
        self
    }

    /// The bytes from one row to the next; 0 for rows without a gap.
    ///
    /// Since OpenCL 1.2. Source: `image_row_pitch` of `cl_image_desc` of the OpenCL API specification.
    #[must_use]
    pub fn row_pitch(mut self, bytes: usize) -> Self {
        self.descriptor.image_row_pitch = bytes;
        self
    }

    /// The bytes from one slice, or one image of an array, to the next; 0 for slices without a gap.
    ///
    /// Since OpenCL 1.2. Source: `image_slice_pitch` of `cl_image_desc` of the OpenCL API specification.
    #[must_use]
    pub fn slice_pitch(mut self, bytes: usize) -> Self {
        self.descriptor.image_slice_pitch = bytes;
        self
    }

    /// The format, as commands take it.
    ///
    /// Since OpenCL 1.0. Source: `cl_image_format` of the OpenCL API specification.
    #[must_use]
    pub fn format(&self) -> &cl_image_format {
        &self.format
    }

    /// The extent, as commands take it.
    ///
    /// Since OpenCL 1.2. Source: `cl_image_desc` of the OpenCL API specification.
    #[must_use]
    pub fn descriptor(&self) -> &cl_image_desc {
        &self.descriptor
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image").field("format", &self.format).field("type", &self.descriptor.image_type).finish_non_exhaustive()
    }
}
