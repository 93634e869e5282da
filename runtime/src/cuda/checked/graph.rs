//! Commands of graphs whose nodes signal or wait for external semaphores: added, changed, and changed in an executable graph.
//!
//! Every semaphore of a node is checked as it is where a stream signals or waits for it.

use clcu_sys::{
    Command,
    cuda::{
        self, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, CUDA_EXT_SEM_WAIT_NODE_PARAMS, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUexternalSemaphore, CUexternalSemaphoreHandleType, CUgraph, CUgraphExec, CUgraphNode,
        CUgraphNodeParams, CUgraphNodeType, CUresult,
    },
    rules::{Found, Inert, Predicate, Record},
};

use super::{Checked, Signal, Use, Wait, count, given, some};
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

/// The parameters of one semaphore of a node, which say what a node of such is.
trait OfNode: Record + Copy {
    type Node;

    /// A node of as many semaphores as `count` says.
    fn node(handles: *mut CUexternalSemaphore, parameters: *const Self, count: u32) -> Self::Node;
}

macro_rules! of_nodes {
    ($($parameters:ident: $node:ident;)*) => {$(
        impl OfNode for $parameters {
            type Node = $node;

            fn node(handles: *mut CUexternalSemaphore, parameters: *const Self, count: u32) -> $node {
                $node { extSemArray: handles, paramsArray: parameters, numExtSems: count }
            }
        }
    )*};
}

of_nodes! {
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS: CUDA_EXT_SEM_WAIT_NODE_PARAMS;
}

/// Checks each semaphore of a node, and calls with the node. `more` checks what else there is.
///
/// # Safety
/// The semaphores are alive. Every byte of the parameters is initialised.
unsafe fn call_with_node<F: Copy, P: OfNode>(
    library: &Library,
    command: Command<F>,
    semaphores: &[Use<'_, P>],
    waived: &[&str],
    more: impl FnOnce(Checked<'_, F>) -> Checked<'_, F>,
    invoke: impl FnOnce(F, *const P::Node) -> CUresult,
) -> Result<(), Error> {
    let count = count(semaphores.len())?;
    let (mut handles, parameters): (Vec<_>, Vec<_>) =
        semaphores.iter().map(|(handle, _, parameters)| (*handle, **parameters)).unzip();
    let mut checked = library.checked(&command).waiving(waived);
    for (_, handle_type, parameters) in semaphores {
        // SAFETY: promised by the caller.
        checked = unsafe { checked.semaphore(library, Some(*handle_type), *parameters) };
    }
    let node = P::node(handles.as_mut_ptr(), parameters.as_ptr(), count);
    more(checked).call(|function| invoke(function, &raw const node))
}

/// What both commands that add a node are.
type Add<N> = unsafe extern "system" fn(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const N) -> CUresult;

/// Adds a node. `A` are the arguments of the command.
///
/// # Safety
/// The graph, the nodes and the semaphores are alive. Every byte of the parameters is initialised.
unsafe fn add<A: Inert, P: OfNode>(
    library: &Library,
    command: Command<Add<P::Node>>,
    graph: CUgraph,
    dependencies: &[CUgraphNode],
    semaphores: &[Use<'_, P>],
    waived: &[&str],
) -> Result<CUgraphNode, Error> {
    let (mut made, nodes, many) = (CUgraphNode::NULL, array(dependencies), dependencies.len());
    // SAFETY: the result is written to memory that is ours, and the arrays are as long as is said; the caller promises the rest.
    let invoke = |add: Add<P::Node>, node: *const P::Node| unsafe { add(&raw mut made, graph, nodes, many, node) };
    // SAFETY: promised by the caller.
    unsafe { call_with_node(library, command, semaphores, waived, |checked| checked.dependencies::<A>(dependencies), invoke)? };
    some(library, command.info(), made, made.is_null())
}

/// `cuGraphAddExternalSemaphoresSignalNode`: a node that signals all of these, after `dependencies`.
///
/// The node belongs to the graph. The semaphores stay the caller's, who keeps them until nothing launches the graph any more.
///
/// Since CUDA 11.2. Source: `cuGraphAddExternalSemaphoresSignalNode` of `cuda.h`.
///
/// # Errors
/// [`Error::System`] for more semaphores than 32 bits count; [`Error::Invalid`] lists every rule that is broken by the parameters, or
/// by a node that stands twice among `dependencies`; [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what
/// it answers; [`Error::Nothing`] where it reports success and gives none.
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
    type Arguments = cuda::cuGraphAddExternalSemaphoresSignalNode_arguments;
    let command = cuda::cuGraphAddExternalSemaphoresSignalNode;
    // SAFETY: promised by the caller.
    unsafe { add::<Arguments, _>(library, command, graph, dependencies, signals, waived) }
}

/// `cuGraphAddExternalSemaphoresWaitNode`: a node that waits for all of these, after `dependencies`.
///
/// The node belongs to the graph. Timeouts of keyed mutexes are in milliseconds.
///
/// Since CUDA 11.2. Source: `cuGraphAddExternalSemaphoresWaitNode` of `cuda.h`.
///
/// # Errors
/// As for [`graph_add_external_semaphores_signal_node`].
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
    type Arguments = cuda::cuGraphAddExternalSemaphoresWaitNode_arguments;
    let command = cuda::cuGraphAddExternalSemaphoresWaitNode;
    // SAFETY: promised by the caller.
    unsafe { add::<Arguments, _>(library, command, graph, dependencies, waits, waived) }
}

/// `cuGraphExternalSemaphoresSignalNodeSetParams`: the node signals these from now on, instead of those that it had. What was made of
/// its graph already stays as it is.
///
/// Since CUDA 11.2. Source: `cuGraphExternalSemaphoresSignalNodeSetParams` of `cuda.h`.
///
/// # Errors
/// [`Error::System`] for more semaphores than 32 bits count; [`Error::Invalid`] lists every rule that is broken, and nothing is called;
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
///
/// # Safety
/// The node and the semaphores are alive. Every byte of the parameters is initialised.
pub unsafe fn graph_external_semaphores_signal_node_set_params(
    library: &Library,
    node: CUgraphNode,
    signals: &[Signal<'_>],
    waived: &[&str],
) -> Result<(), Error> {
    let command = cuda::cuGraphExternalSemaphoresSignalNodeSetParams;
    // SAFETY: promised by the caller; the arrays of the parameters are as long as they say.
    unsafe { call_with_node(library, command, signals, waived, |checked| checked, |set, parameters| set(node, parameters)) }
}

/// `cuGraphExternalSemaphoresWaitNodeSetParams`: the node waits for these from now on, instead of those that it had. What was made of
/// its graph already stays as it is.
///
/// Since CUDA 11.2. Source: `cuGraphExternalSemaphoresWaitNodeSetParams` of `cuda.h`.
///
/// # Errors
/// [`Error::System`] for more semaphores than 32 bits count; [`Error::Invalid`] lists every rule that is broken, and nothing is called;
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
///
/// # Safety
/// As for [`graph_external_semaphores_signal_node_set_params`].
pub unsafe fn graph_external_semaphores_wait_node_set_params(
    library: &Library,
    node: CUgraphNode,
    waits: &[Wait<'_>],
    waived: &[&str],
) -> Result<(), Error> {
    let command = cuda::cuGraphExternalSemaphoresWaitNodeSetParams;
    // SAFETY: promised by the caller; the arrays of the parameters are as long as they say.
    unsafe { call_with_node(library, command, waits, waived, |checked| checked, |set, parameters| set(node, parameters)) }
}

/// `cuGraphExecExternalSemaphoresSignalNodeSetParams`: the next launches of `graph` signal these.
///
/// Since CUDA 11.2. Source: `cuGraphExecExternalSemaphoresSignalNodeSetParams` of `cuda.h`.
///
/// # Errors
/// [`Error::System`] for more semaphores than 32 bits count; [`Error::Invalid`] lists every rule that is broken, and nothing is called;
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
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
    let command = cuda::cuGraphExecExternalSemaphoresSignalNodeSetParams;
    // SAFETY: promised by the caller; the arrays of the parameters are as long as they say.
    unsafe { call_with_node(library, command, signals, waived, |checked| checked, |set, parameters| set(graph, node, parameters)) }
}

/// `cuGraphExecExternalSemaphoresWaitNodeSetParams`: the next launches of `graph` wait for these.
///
/// Since CUDA 11.2. Source: `cuGraphExecExternalSemaphoresWaitNodeSetParams` of `cuda.h`.
///
/// # Errors
/// [`Error::System`] for more semaphores than 32 bits count; [`Error::Invalid`] lists every rule that is broken, and nothing is called;
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers.
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
    let command = cuda::cuGraphExecExternalSemaphoresWaitNodeSetParams;
    // SAFETY: promised by the caller; the arrays of the parameters are as long as they say.
    unsafe { call_with_node(library, command, waits, waived, |checked| checked, |set, parameters| set(graph, node, parameters)) }
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
    let checked = unsafe { checked.raw_record(parameters, &library.given) };
    match parameters.r#type {
        CUgraphNodeType::CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL => {
            // SAFETY: the type says that the union holds this; the array is as long as is said, as the caller promises.
            unsafe {
                let node = parameters.extSemSignal();
                each(library, checked, handle_types, node.paramsArray, node.numExtSems)
            }
        }
        CUgraphNodeType::CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT => {
            // SAFETY: as above.
            unsafe {
                let node = parameters.extSemWait();
                each(library, checked, handle_types, node.paramsArray, node.numExtSems)
            }
        }
        _ => checked,
    }
}

/// Checks each semaphore of a node.
///
/// # Safety
/// There are `count` parameters at `parameters`, all bytes of which are initialised.
unsafe fn each<'l, F: Copy, P: Record>(
    library: &Library,
    checked: Checked<'l, F>,
    handle_types: &[CUexternalSemaphoreHandleType],
    parameters: *const P,
    count: u32,
) -> Checked<'l, F> {
    (0..count as usize).fold(checked, |checked, index| {
        // SAFETY: promised by the caller.
        unsafe { checked.semaphore(library, handle_types.get(index).copied(), &*parameters.add(index)) }
    })
}

/// `cuGraphAddNode` (of CUDA 12.3): a node of any type, after `dependencies`. It belongs to the graph. Of one that signals or waits for
/// external semaphores, `handle_types` are those by which they were imported, in their order; for any other type it is empty.
///
/// Since CUDA 12.3. Source: `cuGraphAddNode_v2` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken by the parameters, or by a node that stands twice among `dependencies`;
/// [`Error::Missing`] where the driver lacks the command; [`Error::Call`] with what it answers; [`Error::Nothing`] where it reports
/// success and gives none.
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

/// `cuGraphNodeSetParams`: other parameters for a node, of the type that it has. `handle_types` as for [`graph_add_node`].
///
/// Since CUDA 12.2. Source: `cuGraphNodeSetParams` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers.
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

/// `cuGraphExecNodeSetParams`: other parameters for a node in an executable graph, of the type that it has. `handle_types` as for
/// [`graph_add_node`].
///
/// Since CUDA 12.2. Source: `cuGraphExecNodeSetParams` of `cuda.h`.
///
/// # Errors
/// [`Error::Invalid`] lists every rule that is broken, and nothing is called; [`Error::Missing`] where the driver lacks the command;
/// [`Error::Call`] with what it answers.
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
