/*
 * Nodes of graphs that signal or wait for external semaphores, in the mock driver: looked at as the calls on a stream are, and not kept.
 */
static status signal_node(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *node) {
    return node->numExtSems == 0 ? INVALID_VALUE : signal_all(node->extSemArray, node->paramsArray, node->numExtSems);
}

static status wait_node(const CUDA_EXT_SEM_WAIT_NODE_PARAMS *node) {
    return node->numExtSems == 0 ? INVALID_VALUE : wait_all(node->extSemArray, node->paramsArray, node->numExtSems);
}

/* A node of any type; of those that carry no semaphore nothing is looked at but the reserved words. */
static status any_node(const CUgraphNodeParams *node) {
    if (!zero(node->reserved0, sizeof node->reserved0) || node->reserved2 != 0) return INVALID_VALUE;
    switch (node->type) {
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        return signal_all(node->extSemSignal.extSemArray, node->extSemSignal.paramsArray, node->extSemSignal.numExtSems);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return wait_all(node->extSemWait.extSemArray, node->extSemWait.paramsArray, node->extSemWait.numExtSems);
    default: return SUCCESS;
    }
}

/* A graph and its nodes are numbers here. */
static status added(CUgraphNode *node, CUgraph graph, status looked) {
    if (looked == SUCCESS) *node = (CUgraphNode)((uintptr_t)graph + 1);
    return looked;
}

COMMAND(cuGraphAddExternalSemaphoresSignalNode)(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters) {
    WATCHED(cuGraphAddExternalSemaphoresSignalNode);
    MAY_FAIL_WITH(node, (CUgraphNode)0xdead, NULL);
    if ((count == 0) != (dependencies == NULL)) return INVALID_VALUE;
    return added(node, graph, signal_node(parameters));
}

COMMAND(cuGraphAddExternalSemaphoresWaitNode)(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters) {
    WATCHED(cuGraphAddExternalSemaphoresWaitNode);
    MAY_FAIL_WITH(node, (CUgraphNode)0xdead, NULL);
    if ((count == 0) != (dependencies == NULL)) return INVALID_VALUE;
    return added(node, graph, wait_node(parameters));
}

COMMAND(cuGraphExternalSemaphoresSignalNodeSetParams)(CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters) {
    WATCHED(cuGraphExternalSemaphoresSignalNodeSetParams);
    MAY_FAIL;
    return node == NULL ? INVALID_VALUE : signal_node(parameters);
}

COMMAND(cuGraphExternalSemaphoresWaitNodeSetParams)(CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters) {
    WATCHED(cuGraphExternalSemaphoresWaitNodeSetParams);
    MAY_FAIL;
    return node == NULL ? INVALID_VALUE : wait_node(parameters);
}

COMMAND(cuGraphExecExternalSemaphoresSignalNodeSetParams)(
    CUgraphExec graph, CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *parameters) {
    WATCHED(cuGraphExecExternalSemaphoresSignalNodeSetParams);
    MAY_FAIL;
    return graph == NULL || node == NULL ? INVALID_VALUE : signal_node(parameters);
}

COMMAND(cuGraphExecExternalSemaphoresWaitNodeSetParams)(
    CUgraphExec graph, CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *parameters) {
    WATCHED(cuGraphExecExternalSemaphoresWaitNodeSetParams);
    MAY_FAIL;
    return graph == NULL || node == NULL ? INVALID_VALUE : wait_node(parameters);
}

COMMAND(cuGraphAddNode_v2)(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
    size_t count, CUgraphNodeParams *parameters) {
    WATCHED(cuGraphAddNode);
    (void)edges;
    MAY_FAIL_WITH(node, (CUgraphNode)0xdead, NULL);
    if ((count == 0) != (dependencies == NULL)) return INVALID_VALUE;
    return added(node, graph, any_node(parameters));
}

COMMAND(cuGraphNodeSetParams)(CUgraphNode node, CUgraphNodeParams *parameters) {
    WATCHED(cuGraphNodeSetParams);
    MAY_FAIL;
    return node == NULL ? INVALID_VALUE : any_node(parameters);
}

COMMAND(cuGraphExecNodeSetParams)(CUgraphExec graph, CUgraphNode node, CUgraphNodeParams *parameters) {
    WATCHED(cuGraphExecNodeSetParams);
    MAY_FAIL;
    return graph == NULL || node == NULL ? INVALID_VALUE : any_node(parameters);
}
