//! Checked commands of graph nodes that carry external semaphores, on the mock driver: each semaphore is checked as on a stream.

use std::ptr;

use clcu::{
    cuda::{Error, checked},
    sys::{
        cuda::{
            CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS as SignalParameters, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS as WaitParameters,
            CUexternalSemaphore, CUexternalSemaphoreHandleType as HandleType, CUgraph, CUgraphExec, CUgraphNode, CUgraphNodeParams,
            CUgraphNodeType, CUresult,
        },
        rules::Zeroed,
    },
};
use clcu_tests::mock::{self, Opened};

const TIMELINE: HandleType = HandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
const SYNC: HandleType = HandleType::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;

fn semaphore(driver: &Opened, handle_type: HandleType) -> CUexternalSemaphore {
    CUexternalSemaphore(driver.mock.foreign(c"mock_semaphore", handle_type.0, 0))
}

/// Graphs and nodes are numbers to the mock.
fn graph() -> CUgraph {
    CUgraph(ptr::without_provenance_mut(0x1000))
}

fn node(number: usize) -> CUgraphNode {
    CUgraphNode(ptr::without_provenance_mut(number))
}

fn executable() -> CUgraphExec {
    CUgraphExec(ptr::without_provenance_mut(0x2000))
}

fn signal(value: u64, flags: u32) -> Zeroed<'static, SignalParameters> {
    Zeroed::<SignalParameters>::new().with(SignalParameters::PARAMS_FENCE_VALUE, value).with(SignalParameters::FLAGS, flags)
}

fn wait(value: u64, flags: u32) -> Zeroed<'static, WaitParameters> {
    Zeroed::<WaitParameters>::new().with(WaitParameters::PARAMS_FENCE_VALUE, value).with(WaitParameters::FLAGS, flags)
}

fn value(driver: &Opened) -> u64 {
    // SAFETY: the variable is a `uint64_t`.
    unsafe { driver.mock.read(c"mock_value") }
}

/// The ids of the rules that stop a call.
fn broken<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<&'static str> {
    let Err(Error::Invalid(invalid)) = result else { panic!("{result:?}") };
    invalid.violations.iter().map(|(_, violation)| violation.rule.id).collect()
}

#[test]
fn nodes_are_added_and_changed_with_all_their_semaphores() {
    let Some(driver) = mock::cuda().open("cuda_runtime_graph: nodes") else { return };
    let library = &driver.library;
    let (one, two) = (semaphore(&driver, TIMELINE), semaphore(&driver, TIMELINE));
    let (first, second, waited) = (signal(3, 0), signal(4, 0), wait(9, 0));
    // SAFETY: the semaphores are alive, graphs are numbers to the mock, and the parameters began as zeroes.
    unsafe {
        let signals = [(one, TIMELINE, &*first), (two, TIMELINE, &*second)];
        let added = checked::graph_add_external_semaphores_signal_node(library, graph(), &[], &signals, &[]).expect("it adds");
        assert_eq!((added, value(&driver)), (node(0x1001), 4));
        let waits = [(one, TIMELINE, &*waited)];
        checked::graph_add_external_semaphores_wait_node(library, graph(), &[added], &waits, &[]).expect("it adds");
        assert_eq!(value(&driver), 9);
        checked::graph_external_semaphores_signal_node_set_params(library, added, &signals, &[]).expect("it sets");
        checked::graph_external_semaphores_wait_node_set_params(library, added, &waits, &[]).expect("it sets");
        checked::graph_exec_external_semaphores_signal_node_set_params(library, executable(), added, &signals, &[])
            .expect("it sets");
        checked::graph_exec_external_semaphores_wait_node_set_params(library, executable(), added, &waits, &[]).expect("it sets");
    }
    assert_eq!(
        driver.mock.log()[1..],
        [
            "cuGraphAddExternalSemaphoresSignalNode",
            "cuGraphAddExternalSemaphoresWaitNode",
            "cuGraphExternalSemaphoresSignalNodeSetParams",
            "cuGraphExternalSemaphoresWaitNodeSetParams",
            "cuGraphExecExternalSemaphoresSignalNodeSetParams",
            "cuGraphExecExternalSemaphoresWaitNodeSetParams"
        ]
    );
    assert_eq!(driver.mock.number(c"mock_unclean"), 0);
}

#[test]
fn what_any_semaphore_of_a_node_breaks_is_listed_and_the_driver_is_not_called() {
    let Some(driver) = mock::cuda().open("cuda_runtime_graph: violations") else { return };
    let library = &driver.library;
    let (timeline, sync) = (semaphore(&driver, TIMELINE), semaphore(&driver, SYNC));
    let (good, flagged, other) = (signal(1, 0), signal(1, 1), wait(1, 1));
    // SAFETY: as above.
    unsafe {
        let signals = [(timeline, TIMELINE, &*good), (timeline, TIMELINE, &*flagged)];
        let ids = broken(checked::graph_add_external_semaphores_signal_node(library, graph(), &[], &signals, &[]));
        assert_eq!(ids, ["cuda/CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS/flags-zero"]);
        assert_eq!(broken(checked::graph_external_semaphores_signal_node_set_params(library, node(1), &signals, &[])), ids);
        assert_eq!(
            broken(checked::graph_exec_external_semaphores_signal_node_set_params(library, executable(), node(1), &signals, &[])),
            ids
        );
        // The flag of a signal is none of a wait.
        let waits = [(sync, SYNC, &*other)];
        assert_eq!(broken(checked::graph_add_external_semaphores_wait_node(library, graph(), &[], &waits, &[])).len(), 1);
        assert_eq!(broken(checked::graph_external_semaphores_wait_node_set_params(library, node(1), &waits, &[])).len(), 1);
        assert_eq!(
            broken(checked::graph_exec_external_semaphores_wait_node_set_params(library, executable(), node(1), &waits, &[])).len(),
            1
        );
        // A node that stands twice among those that come first.
        let twice = [node(7), node(8), node(7)];
        let signals = [(timeline, TIMELINE, &*good)];
        let add = |waived: &[&str]| checked::graph_add_external_semaphores_signal_node(library, graph(), &twice, &signals, waived);
        let ids = broken(add(&[]));
        assert_eq!(ids, ["cuda/cuGraphAddExternalSemaphoresSignalNode/dependencies-no-duplicates"]);
        assert_eq!(driver.mock.log().len(), 1, "nothing but the context was made");
        add(&ids).expect("it is waived");
    }
}

#[test]
fn a_node_of_any_type_is_checked_by_its_type() {
    let Some(driver) = mock::cuda().open("cuda_runtime_graph: any node") else { return };
    let library = &driver.library;
    let mut semaphores = [semaphore(&driver, TIMELINE)];
    let (plain, flagged) = (signal(5, 0), signal(5, 1));
    let mut node_of = |parameters: &Zeroed<'static, SignalParameters>| {
        *Zeroed::<CUgraphNodeParams>::new()
            .with(CUgraphNodeParams::TYPE, CUgraphNodeType::CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL)
            .with(CUgraphNodeParams::EXT_SEM_SIGNAL_EXT_SEM_ARRAY, semaphores.as_mut_ptr())
            .with(CUgraphNodeParams::EXT_SEM_SIGNAL_PARAMS_ARRAY, parameters.as_ptr())
            .with(CUgraphNodeParams::EXT_SEM_SIGNAL_NUM_EXT_SEMS, 1)
    };
    let (mut good, mut bad) = (node_of(&plain), node_of(&flagged));
    // SAFETY: as above; the type says what the union holds.
    unsafe {
        checked::graph_add_node(library, graph(), &[], &mut good, &[TIMELINE], &[]).expect("it adds");
        assert_eq!(value(&driver), 5);
        checked::graph_node_set_params(library, node(1), &mut good, &[TIMELINE], &[]).expect("it sets");
        checked::graph_exec_node_set_params(library, executable(), node(1), &mut good, &[TIMELINE], &[]).expect("it sets");
        let ids = broken(checked::graph_add_node(library, graph(), &[], &mut bad, &[TIMELINE], &[]));
        assert_eq!(ids, ["cuda/CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS/flags-zero"]);
        good.reserved2 = 1;
        let ids = broken(checked::graph_node_set_params(library, node(1), &mut good, &[TIMELINE], &[]));
        assert_eq!(ids, ["cuda/CUgraphNodeParams/reserved2-zero"]);
        let ids = broken(checked::graph_exec_node_set_params(library, executable(), node(1), &mut good, &[TIMELINE], &[]));
        assert_eq!(ids, ["cuda/CUgraphNodeParams/reserved2-zero"]);
    }
    assert_eq!(driver.mock.log().len(), 4);
}

#[test]
fn a_node_that_the_driver_refuses_is_none() {
    let Some(driver) = mock::cuda().open("cuda_runtime_graph: refused") else { return };
    let parameters = wait(1, 0);
    let waits = [(semaphore(&driver, TIMELINE), TIMELINE, &*parameters)];
    driver.mock.set(c"mock_garbage", 1);
    for code in [1, 999, -1] {
        driver.mock.set(c"mock_fail_cuGraphAddExternalSemaphoresWaitNode", code);
        // SAFETY: as above.
        let added = unsafe { checked::graph_add_external_semaphores_wait_node(&driver.library, graph(), &[], &waits, &[]) };
        match added.expect_err("the mock refuses") {
            Error::Call(error) => assert_eq!(error.result, CUresult(code.cast_unsigned())),
            Error::Nothing { command, .. } => assert_eq!((command.symbol, code), (c"cuGraphAddExternalSemaphoresWaitNode", -1)),
            other => panic!("{other}"),
        }
    }
}
