//! Commands of graphs whose nodes signal or wait for external semaphores: added, changed, and changed in an executable graph.
//!
//! Every semaphore of a node is checked as it is where a stream signals or waits for it.

use clcu_sys::{
    Command,
    cuda::{
        self, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, CUDA_EXT_SEM_WAIT_NODE_PARAMS, CUexternalSemaphore, CUexternalSemaphoreHandleType,
        CUgraph, CUgraphExec, CUgraphNode, CUgraphNodeParams, CUgraphNodeType,
    },
    rules::{Found, Inert, Predicate, Record},
};

use super::{Checked, Signal, Wait, count, given, some};
use crate::cuda::{Library, error::Error, kind};

impl<F: Copy> Checked<'_, F> {
    /// Checks one semaphore of a call. Without its type, what depends on that is not checked.
    ///
    /// # Safety
    /// Every byte of the parameters is initialised.
    unsafe fn semaphore<P: Record>(
        self,
        library: &Library,
        handle_type: Option<CUexternalSemaphoreHandleType>,
        parameters: &P,
    ) -> Self {
        let given = handle_type.map_or(given(library), |handle_type| given(library).with_semaphore(handle_type));
        // SAFETY: promised by the caller.
        unsafe { self.about(handle_type.and_then(kind::of_semaphore)).raw_record(parameters, &given) }
    }

    /// Checks that no node stands twice among those that come first. The rule is in the table; what lies behind the pointer is seen here alone.
    fn dependencies<A: Inert>(self, nodes: &[CUgraphNode]) -> Self {
        let twice = nodes.iter().enumerate().find(|(index, node)| nodes.iter().take(*index).any(|earlier| earlier == *node));
        let rule = A::SUBJECT.rules.iter().find(|rule| matches!(rule.predicate, Predicate::NoDuplicates));
        match (twice, rule) {
            (Some((_, node)), Some(rule)) => self.broken(A::SUBJECT, rule, Found::Twice(node.0.addr() as u64)),
            _ => self,
        }
    }
}

/// An array as the driver takes it: null where it is empty.
fn array<T>(slice: &[T]) -> *const T {
    if slice.is_empty() { std::ptr::null() } else { slice.as_ptr() }
}

/// The handles and parameters of a node, as arrays that it points to.
struct Arrays<P> {
    handles: Vec<CUexternalSemaphore>,
    parameters: Vec<P>,
    count: u32,
}

impl<P: Copy> Arrays<P> {
    fn new(semaphores: &[(CUexternalSemaphore, CUexternalSemaphoreHandleType, &P)]) -> Result<Self, Error> {
        let (handles, parameters) = semaphores.iter().map(|(handle, _, parameters)| (*handle, **parameters)).unzip();
        Ok(Self { handles, parameters, count: count(semaphores.len())? })
    }
}

impl Arrays<cuda::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS> {
    fn node(&mut self) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        let Self { handles, parameters, count } = self;
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray: handles.as_mut_ptr(), paramsArray: parameters.as_ptr(), numExtSems: *count }
    }
}

impl Arrays<cuda::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS> {
    fn node(&mut self) -> CUDA_EXT_SEM_WAIT_NODE_PARAMS {
        let Self { handles, parameters, count } = self;
        CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray: handles.as_mut_ptr(), paramsArray: parameters.as_ptr(), numExtSems: *count }
    }
}

/// # Safety
/// Every byte of the parameters is initialised.
unsafe fn checked<'l, F: Copy, P: Record>(
    library: &'l Library,
    command: Command<F>,
    semaphores: &[(CUexternalSemaphore, CUexternalSemaphoreHandleType, &P)],
    waived: &'l [&'l str],
) -> Checked<'l, F> {
    semaphores.iter().fold(library.checked(&command).waiving(waived), |checked, (_, handle_type, parameters)| {
        // SAFETY: promised by the caller.
        unsafe { checked.semaphore(library, Some(*handle_type), *parameters) }
    })
}

/// `cuGraphAddExternalSemaphoresSignalNode`: a node that signals all of these, after `dependencies`.
///
/// # Safety
/// The graph, the nodes and the semaphores are alive. Every byte of the parameters is initialised.
pub unsafe fn graph_add_external_semaphores_signal_node(
    library: &Library,
    graph: CUgraph,
    dependencies: &[CUgraphNode],
    signals: &[Signal<'_>],
    waived: &[&str],
) -> Result<CUgraphNode, Error> {
    let command = &cuda::cuGraphAddExternalSemaphoresSignalNode;
    let (mut node, mut arrays) = (CUgraphNode::NULL, Arrays::new(signals)?);
    // SAFETY: promised by the caller.
    let checked = unsafe { checked(library, *command, signals, waived) };
    let checked = checked.dependencies::<cuda::cuGraphAddExternalSemaphoresSignalNode_arguments>(dependencies);
    let (nodes, many, parameters) = (array(dependencies), dependencies.len(), arrays.node());
    // SAFETY: the result is written to memory that is ours, and the arrays are as long as is said; the caller promises the rest.
    checked.call(|add| unsafe { add(&raw mut node, graph, nodes, many, &raw const parameters) })?;
    some(library, command.info(), node, node.is_null())
}

/// `cuGraphAddExternalSemaphoresWaitNode`: a node that waits for all of these, after `dependencies`.
///
/// # Safety
/// As for [`graph_add_external_semaphores_signal_node`].
pub unsafe fn graph_add_external_semaphores_wait_node(
    library: &Library,
    graph: CUgraph,
    dependencies: &[CUgraphNode],
    waits: &[Wait<'_>],
    waived: &[&str],
) -> Result<CUgraphNode, Error> {
    let command = &cuda::cuGraphAddExternalSemaphoresWaitNode;
    let (mut node, mut arrays) = (CUgraphNode::NULL, Arrays::new(waits)?);
    // SAFETY: promised by the caller.
    let checked = unsafe { checked(library, *command, waits, waived) };
    let checked = checked.dependencies::<cuda::cuGraphAddExternalSemaphoresWaitNode_arguments>(dependencies);
    let (nodes, many, parameters) = (array(dependencies), dependencies.len(), arrays.node());
    // SAFETY: the result is written to memory that is ours, and the arrays are as long as is said; the caller promises the rest.
    checked.call(|add| unsafe { add(&raw mut node, graph, nodes, many, &raw const parameters) })?;
    some(library, command.info(), node, node.is_null())
}

/// `cuGraphExternalSemaphoresSignalNodeSetParams`.
///
/// # Safety
/// The node and the semaphores are alive. Every byte of the parameters is initialised.
pub unsafe fn graph_external_semaphores_signal_node_set_params(
    library: &Library,
    node: CUgraphNode,
    signals: &[Signal<'_>],
    waived: &[&str],
) -> Result<(), Error> {
    let mut arrays = Arrays::new(signals)?;
    let parameters = arrays.node();
    // SAFETY: promised by the caller.
    let checked = unsafe { checked(library, cuda::cuGraphExternalSemaphoresSignalNodeSetParams, signals, waived) };
    // SAFETY: the arrays are as long as is said; the caller promises the rest.
    checked.call(|set| unsafe { set(node, &raw const parameters) })
}

/// `cuGraphExternalSemaphoresWaitNodeSetParams`.
///
/// # Safety
/// As for [`graph_external_semaphores_signal_node_set_params`].
pub unsafe fn graph_external_semaphores_wait_node_set_params(
    library: &Library,
    node: CUgraphNode,
    waits: &[Wait<'_>],
    waived: &[&str],
) -> Result<(), Error> {
    let mut arrays = Arrays::new(waits)?;
    let parameters = arrays.node();
    // SAFETY: promised by the caller.
    let checked = unsafe { checked(library, cuda::cuGraphExternalSemaphoresWaitNodeSetParams, waits, waived) };
    // SAFETY: the arrays are as long as is said; the caller promises the rest.
    checked.call(|set| unsafe { set(node, &raw const parameters) })
}

/// `cuGraphExecExternalSemaphoresSignalNodeSetParams`: the next launches of `graph` signal these.
///
/// # Safety
/// The executable graph and the semaphores are alive. Every byte of the parameters is initialised. The node is one of the graph that it was
/// made of, with as many semaphores.
pub unsafe fn graph_exec_external_semaphores_signal_node_set_params(
    library: &Library,
    graph: CUgraphExec,
    node: CUgraphNode,
    signals: &[Signal<'_>],
    waived: &[&str],
) -> Result<(), Error> {
    let mut arrays = Arrays::new(signals)?;
    let parameters = arrays.node();
    // SAFETY: promised by the caller.
    let checked = unsafe { checked(library, cuda::cuGraphExecExternalSemaphoresSignalNodeSetParams, signals, waived) };
    // SAFETY: the arrays are as long as is said; the caller promises the rest.
    checked.call(|set| unsafe { set(graph, node, &raw const parameters) })
}

/// `cuGraphExecExternalSemaphoresWaitNodeSetParams`: the next launches of `graph` wait for these.
///
/// # Safety
/// As for [`graph_exec_external_semaphores_signal_node_set_params`].
pub unsafe fn graph_exec_external_semaphores_wait_node_set_params(
    library: &Library,
    graph: CUgraphExec,
    node: CUgraphNode,
    waits: &[Wait<'_>],
    waived: &[&str],
) -> Result<(), Error> {
    let mut arrays = Arrays::new(waits)?;
    let parameters = arrays.node();
    // SAFETY: promised by the caller.
    let checked = unsafe { checked(library, cuda::cuGraphExecExternalSemaphoresWaitNodeSetParams, waits, waived) };
    // SAFETY: the arrays are as long as is said; the caller promises the rest.
    checked.call(|set| unsafe { set(graph, node, &raw const parameters) })
}

/// A node of any type, with the semaphores of one that signals or waits for some.
///
/// # Safety
/// As for [`graph_add_node`].
unsafe fn any<'l, F: Copy>(
    library: &'l Library,
    command: Command<F>,
    parameters: &CUgraphNodeParams,
    handle_types: &[CUexternalSemaphoreHandleType],
    waived: &'l [&'l str],
) -> Checked<'l, F> {
    let checked = library.checked(&command).waiving(waived);
    // SAFETY: promised by the caller.
    let mut checked = unsafe { checked.raw_record(parameters, &library.given) };
    match parameters.r#type {
        CUgraphNodeType::CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => {
            // SAFETY: the type says that the union holds this.
            let node = unsafe { parameters.extSemSignal() };
            for index in 0..node.numExtSems as usize {
                // SAFETY: the array is as long as is said, and initialised, as the caller promises.
                checked = unsafe { checked.semaphore(library, handle_types.get(index).copied(), &*node.paramsArray.add(index)) };
            }
        }
        CUgraphNodeType::CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => {
            // SAFETY: the type says that the union holds this.
            let node = unsafe { parameters.extSemWait() };
            for index in 0..node.numExtSems as usize {
                // SAFETY: the array is as long as is said, and initialised, as the caller promises.
                checked = unsafe { checked.semaphore(library, handle_types.get(index).copied(), &*node.paramsArray.add(index)) };
            }
        }
        _ => {}
    }
    checked
}

/// `cuGraphAddNode` (of CUDA 12.3), for a node of any type. Of one that signals or waits for external semaphores, `handle_types` are those by
/// which they were imported, in their order; for any other type it is empty.
///
/// # Safety
/// The graph, the nodes, and what the parameters refer to are alive. Every byte of the parameters and of arrays that they point to is
/// initialised, and `type` says what their union holds.
pub unsafe fn graph_add_node(
    library: &Library,
    graph: CUgraph,
    dependencies: &[CUgraphNode],
    parameters: &mut CUgraphNodeParams,
    handle_types: &[CUexternalSemaphoreHandleType],
    waived: &[&str],
) -> Result<CUgraphNode, Error> {
    let command = &cuda::cuGraphAddNode_v2;
    let mut node = CUgraphNode::NULL;
    // SAFETY: promised by the caller.
    let checked = unsafe { any(library, *command, parameters, handle_types, waived) };
    let checked = checked.dependencies::<cuda::cuGraphAddNode_v2_arguments>(dependencies);
    let (nodes, many) = (array(dependencies), dependencies.len());
    // SAFETY: the result is written to memory that is ours, and the array is as long as is said; the caller promises the rest.
    checked.call(|add| unsafe { add(&raw mut node, graph, nodes, std::ptr::null(), many, parameters) })?;
    some(library, command.info(), node, node.is_null())
}

/// `cuGraphNodeSetParams`. `handle_types` as for [`graph_add_node`].
///
/// # Safety
/// As for [`graph_add_node`].
pub unsafe fn graph_node_set_params(
    library: &Library,
    node: CUgraphNode,
    parameters: &mut CUgraphNodeParams,
    handle_types: &[CUexternalSemaphoreHandleType],
    waived: &[&str],
) -> Result<(), Error> {
    // SAFETY: promised by the caller.
    let checked = unsafe { any(library, cuda::cuGraphNodeSetParams, parameters, handle_types, waived) };
    // SAFETY: promised by the caller.
    checked.call(|set| unsafe { set(node, parameters) })
}

/// `cuGraphExecNodeSetParams`. `handle_types` as for [`graph_add_node`].
///
/// # Safety
/// As for [`graph_add_node`]; and the node is one of the graph that the executable one was made of.
pub unsafe fn graph_exec_node_set_params(
    library: &Library,
    graph: CUgraphExec,
    node: CUgraphNode,
    parameters: &mut CUgraphNodeParams,
    handle_types: &[CUexternalSemaphoreHandleType],
    waived: &[&str],
) -> Result<(), Error> {
    // SAFETY: promised by the caller.
    let checked = unsafe { any(library, cuda::cuGraphExecNodeSetParams, parameters, handle_types, waived) };
    // SAFETY: promised by the caller.
    checked.call(|set| unsafe { set(graph, node, parameters) })
}
