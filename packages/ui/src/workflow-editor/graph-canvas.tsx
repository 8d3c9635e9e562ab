/**
 * A graph of steps, drawn from top to bottom. It is one tab stop: arrow keys follow the connections. Loaded at first
 * use, with the library that draws it and the one that places its nodes.
 */
import { graphlib, layout } from "@dagrejs/dagre"
import {
  type Connection,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow
} from "@xyflow/react"
import { Maximize, ZoomIn, ZoomOut } from "lucide-react"
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo } from "react"
import { IconButton } from "../components/icon-button.tsx"
import { workflowEditorText as t } from "../text/workflow-editor.ts"
import { type DraftEdge, neighbor } from "./draft.ts"
import "./graph.css"
import styles from "./graph-canvas.module.css"

export interface GraphStep {
  readonly label: string
  /** Under the label. */
  readonly note: ReactNode
  /** For screen readers, after the note. */
  readonly state?: string | undefined
  readonly mark?: ReactNode
  readonly tone?: "stop" | "hold" | "ok" | "info" | undefined
}

export interface GraphCanvasProps {
  readonly label: string
  readonly steps: ReadonlyArray<GraphStep>
  readonly edges: ReadonlyArray<DraftEdge>
  readonly selected: string | undefined
  readonly onSelect: (label: string) => void
  readonly onOpen: (label: string) => void
  /** The targets to which a step may be connected; without it the graph is read only. */
  readonly targets?: ((label: string) => ReadonlyArray<string>) | undefined
  readonly onConnect?: ((from: string, to: string) => void) | undefined
  /** Other keys, such as those that add and remove steps. */
  readonly onKey?: ((event: KeyboardEvent, label: string) => void) | undefined
  /** Help on the keys. */
  readonly keys: string
}

const nodeWidth = 208
const nodeHeight = 52

type StepNode = Node<{ readonly step: GraphStep; readonly isTabStop: boolean; readonly isOpen: boolean }, "step">

const placesOf = (
  steps: ReadonlyArray<GraphStep>,
  edges: ReadonlyArray<DraftEdge>
): ReadonlyMap<string, { readonly x: number; readonly y: number }> => {
  const graph = new graphlib.Graph()
  graph.setGraph({ rankdir: "TB", nodesep: 32, ranksep: 48 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { label } of steps) graph.setNode(label, { width: nodeWidth, height: nodeHeight })
  for (const { from, to } of edges) if (graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to)
  layout(graph)
  return new Map(steps.map(({ label }) => {
    const { x, y } = graph.node(label) as { readonly x: number; readonly y: number }
    return [label, { x: x - nodeWidth / 2, y: y - nodeHeight / 2 }]
  }))
}

const StepFace = ({ data: { isOpen, isTabStop, step }, selected }: NodeProps<StepNode>) => (
  <>
    <Handle type="target" position={Position.Top} isConnectable={isOpen} className={styles.handle} />
    <button
      type="button"
      className={`nodrag nopan ${styles.node}`}
      data-step={step.label}
      data-tone={step.tone}
      tabIndex={isTabStop ? 0 : -1}
      aria-current={selected || undefined}
    >
      <span className="truncate weight-label">{step.label}</span>{" "}
      <span className="truncate type-meta text-3">{step.note}</span>
      {step.state !== undefined && <span className="sr-only">{` ${step.state}`}</span>}
      {step.mark !== undefined && <span className={styles.mark} aria-hidden>{step.mark}</span>}
    </button>
    <Handle type="source" position={Position.Bottom} isConnectable={isOpen} className={styles.handle} />
  </>
)

const nodeTypes = { step: StepFace }
const arrows = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "previous", ArrowRight: "next" } as const
const whenMax = 28

const Canvas = ({
  edges,
  keys,
  label,
  onConnect,
  onKey,
  onOpen,
  onSelect,
  selected,
  steps,
  targets
}: GraphCanvasProps) => {
  const id = useId()
  const flow = useReactFlow<StepNode>()
  const places = useMemo(() => placesOf(steps, edges), [steps, edges])
  const isOpen = targets !== undefined
  const tabStop = steps.some((step) => step.label === selected) ? selected : steps[0]?.label
  const nodes = steps.map((step): StepNode => ({
    id: step.label,
    type: "step",
    position: places.get(step.label) ?? { x: 0, y: 0 },
    width: nodeWidth,
    height: nodeHeight,
    selected: step.label === selected,
    data: { step, isTabStop: step.label === tabStop, isOpen }
  }))
  const lines = edges.map(({ from, to, when }): Edge => ({
    id: `${from} ${to}`,
    source: from,
    target: to,
    markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
    ...when === undefined ? {} : { label: when.length > whenMax ? `${when.slice(0, whenMax - 1)}…` : when }
  }))
  const shape = steps.map((step) => step.label).join(" ")
  useEffect(() => {
    void flow.fitView({ maxZoom: 1, padding: 0.1 })
    // Only when steps come or go: a changed text moves nothing.
  }, [flow, shape])
  const reach = (next: string) => {
    onSelect(next)
    const place = places.get(next)
    if (place !== undefined) {
      void flow.setCenter(place.x + nodeWidth / 2, place.y + nodeHeight / 2, { zoom: flow.getZoom() })
    }
    document.getElementById(id)?.querySelector<HTMLElement>(`[data-step="${next}"]`)?.focus({ preventScroll: true })
  }
  return (
    <div
      id={id}
      role="group"
      className={styles.canvas}
      aria-label={label}
      aria-describedby={`${id}-keys`}
      onKeyDown={(event) => {
        const at = event.target instanceof HTMLElement ? event.target.dataset["step"] : undefined
        if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return
        const arrow = arrows[event.key as keyof typeof arrows]
        if (arrow !== undefined) {
          event.preventDefault()
          const next = neighbor({ edges, steps: steps.map(asStep) }, at, arrow)
          if (next !== undefined) reach(next)
        } else if (event.key === "Enter") {
          event.preventDefault()
          onOpen(at)
        } else onKey?.(event, at)
      }}
    >
      <ReactFlow
        nodes={nodes}
        edges={lines}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
        minZoom={0.2}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        nodesConnectable={isOpen}
        disableKeyboardA11y
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panActivationKeyCode={null}
        zoomActivationKeyCode={null}
        proOptions={{ hideAttribution: true }}
        onNodeClick={(_, { id: clicked }) => onSelect(clicked)}
        onNodeDoubleClick={(_, { id: clicked }) => onOpen(clicked)}
        isValidConnection={({ source, target }) => targets?.(source).includes(target) === true}
        onConnect={({ source, target }: Connection) => onConnect?.(source, target)}
      />
      <div className={styles.zoom}>
        <IconButton edge label={t.zoomIn} icon={<ZoomIn />} onClick={() => void flow.zoomIn()} />
        <IconButton edge label={t.zoomOut} icon={<ZoomOut />} onClick={() => void flow.zoomOut()} />
        <IconButton
          edge
          label={t.fit}
          icon={<Maximize />}
          onClick={() => void flow.fitView({ maxZoom: 1, padding: 0.1 })}
        />
      </div>
      <p id={`${id}-keys`} className="sr-only">{keys}</p>
    </div>
  )
}

/** Only labels matter for the way of an arrow key. */
const asStep = ({ label }: GraphStep) => ({ label, type: "condition" as const, config: {} })

const GraphCanvas = (props: GraphCanvasProps) => (
  <ReactFlowProvider>
    <Canvas {...props} />
  </ReactFlowProvider>
)

export default GraphCanvas
