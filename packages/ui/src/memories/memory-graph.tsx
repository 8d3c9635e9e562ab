/**
 * The graph of an agent's memories. The drawing is for the pointer; the list beside it has the same memories and
 * connections for the keyboard and for screen readers.
 */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { type KeyboardEvent, useMemo } from "react"
import { percentText } from "../agents/percent-text.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { memoryGraphQuery } from "../hub/queries.ts"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { memoriesText } from "../text/memories.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { graphHeight, graphWidth, layoutOf } from "./graph-layout.ts"
import styles from "./memories.module.css"

const t = memoriesText.graph

type Graph = Output<"memories.graph">
type Node = Graph["nodes"][number]
type Relation = Graph["edges"][number]["relation"]

/** A larger graph has labels only around the selected memory. */
const labelsMax = 30
const labelMax = 32

const shortened = (text: string): string => text.length <= labelMax ? text : `${text.slice(0, labelMax - 1).trimEnd()}…`

const relations: ReadonlyArray<Relation> = ["explicit", "tag", "similar"]

export interface MemoryGraphProps {
  readonly agent: string
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  readonly onOpen: (id: string) => void
  readonly empty: { readonly text: string; readonly action?: React.ReactNode }
}

export const MemoryGraph = ({ agent, empty, ...acts }: MemoryGraphProps) => {
  const graph = useQuery(memoryGraphQuery(useWorkspaceId(), agent))
  return (
    <ScreenState query={graph} isEmpty={graph.data?.nodes.length === 0} empty={empty}>
      {graph.data !== undefined && <Drawn graph={graph.data} {...acts} />}
    </ScreenState>
  )
}

interface Connection {
  readonly node: Node
  readonly relation: Relation
  readonly weight: number
}

const Drawn = ({ graph: { edges, nodes, total }, onOpen, onSelect, selected }:
  & { readonly graph: Graph }
  & Pick<MemoryGraphProps, "selected" | "onSelect" | "onOpen">) =>
{
  const { connections, paths, places } = useMemo(() => {
    const at = new Map(nodes.map(({ id }, index) => [id as string, index]))
    const lines = edges.flatMap(({ relation, source, target, weight }) => {
      const [one, other] = [at.get(source), at.get(target)]
      return one === undefined || other === undefined ? [] : [{ source: one, target: other, weight, relation }]
    })
    const places = layoutOf(nodes.length, lines)
    const connections = nodes.map((): Array<Connection> => [])
    const paths = new Map<string, string>()
    for (const { relation, source, target, weight } of lines) {
      const line = `M${places[source]!.x} ${places[source]!.y}L${places[target]!.x} ${places[target]!.y}`
      for (const name of [relation, `${relation} ${source}`, `${relation} ${target}`]) {
        paths.set(name, (paths.get(name) ?? "") + line)
      }
      connections[source]!.push({ node: nodes[target]!, relation, weight })
      connections[target]!.push({ node: nodes[source]!, relation, weight })
    }
    return { connections, paths, places }
  }, [edges, nodes])
  const current = nodes.findIndex(({ id }) => id === selected)
  const near = new Set((connections[current] ?? []).map(({ node }) => node.id))
  return (
    <div className={`grid items-start gap-16 ${styles.graph}`}>
      <div className="grid gap-8 min-w-0">
        <svg viewBox={`0 0 ${graphWidth} ${graphHeight}`} className={styles.frame} aria-hidden>
          {relations.map((relation) => (
            <path key={relation} d={paths.get(relation) ?? ""} className={styles.edges} data-relation={relation} />
          ))}
          {current !== -1 && relations.map((relation) => (
            <path
              key={relation}
              d={paths.get(`${relation} ${current}`) ?? ""}
              className={styles.edges}
              data-relation={relation}
              data-selected
            />
          ))}
          {nodes.map((node, index) => {
            const side = 14 + node.importance * 14
            const { x, y } = places[index]!
            return (
              <rect
                key={node.id}
                x={x - side / 2}
                y={y - side / 2}
                width={side}
                height={side}
                rx={3}
                className={styles.node}
                data-selected={index === current || undefined}
                data-near={near.has(node.id) || undefined}
                onClick={() => onSelect(node.id)}
              >
                <title>{node.label}</title>
              </rect>
            )
          })}
          {nodes.map((node, index) => {
            const isShown = nodes.length <= labelsMax || index === current || near.has(node.id)
            const { x, y } = places[index]!
            const isAtEnd = x > graphWidth * 0.6
            return isShown && (
              <text
                key={node.id}
                x={isAtEnd ? x - 20 : x + 20}
                y={y + 6}
                textAnchor={isAtEnd ? "end" : "start"}
                className={styles.label}
              >
                {shortened(node.label)}
              </text>
            )
          })}
        </svg>
        <p className="flex flex-wrap items-center gap-8 gap-x-16 type-note text-2">
          <span>{t.shown(nodes.length, total)}</span>
          {relations.map((relation) => (
            <span key={relation} className="inline-flex items-center gap-8">
              <svg viewBox="0 0 32 8" className={styles.sample} aria-hidden>
                <path d="M0 4H32" className={styles.edges} data-relation={relation} />
              </svg>
              {t.relations[relation]}
            </span>
          ))}
        </p>
        {edges.length === 0 && <p className="type-body text-2">{t.noEdges}</p>}
      </div>
      <div className="grid gap-16 min-w-0">
        <Panel title={memoriesText.title} flush>
          <NodeList nodes={nodes} connections={connections} selected={selected} onSelect={onSelect} />
        </Panel>
        <Panel
          title={t.selected}
          flush
          actions={current !== -1 && <Button size="small" onClick={() => onOpen(nodes[current]!.id)}>{t.open}</Button>}
        >
          <div aria-live="polite">
            {current === -1
              ? <p className="p-16 type-body text-2">{t.pick}</p>
              : <Connections node={nodes[current]!} connections={connections[current] ?? []} onSelect={onSelect} />}
          </div>
        </Panel>
      </div>
    </div>
  )
}

interface NodeListProps {
  readonly nodes: ReadonlyArray<Node>
  readonly connections: ReadonlyArray<ReadonlyArray<Connection>>
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
}

/** Arrow keys move between the memories; Tab leaves the list. */
const NodeList = ({ connections, nodes, onSelect, selected }: NodeListProps) => {
  const focused = Math.max(0, nodes.findIndex(({ id }) => id === selected))
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("button")]
    const at = buttons.findIndex((button) => button === event.target)
    const next = event.key === "ArrowDown"
      ? buttons[at + 1]
      : event.key === "ArrowUp"
      ? buttons[at - 1]
      : event.key === "Home"
      ? buttons[0]
      : event.key === "End"
      ? buttons.at(-1)
      : undefined
    if (next === undefined) return
    event.preventDefault()
    next.focus()
    next.click()
  }
  return (
    <ul className={styles.list} aria-label={t.listLabel} onKeyDown={onKeyDown}>
      {nodes.map((node, index) => (
        <li key={node.id}>
          <button
            type="button"
            className={`flex items-baseline gap-8 type-body ${styles.item}`}
            aria-pressed={node.id === selected}
            tabIndex={index === focused ? 0 : -1}
            onClick={() => onSelect(node.id)}
          >
            <span className="flex-1 truncate">
              <RevealedText line text={node.label} texts={reveal} />
            </span>
            <span className="flex-none type-note text-3">
              {t.connections(new Set(connections[index]?.map(({ node }) => node.id)).size)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const Connections = ({ connections, node, onSelect }: {
  readonly node: Node
  readonly connections: ReadonlyArray<Connection>
  readonly onSelect: (id: string) => void
}) => (
  <>
    <p className={`px-16 py-12 type-body wrap-anywhere ${styles.text}`}>
      <RevealedText text={node.label} texts={reveal} />
    </p>
    {connections.length === 0
      ? <p className="px-16 pb-4 type-body text-2">{t.none}</p>
      : (
        <ul className={styles.list}>
          {connections.toSorted((one, other) => other.weight - one.weight).map(({ node: other, relation, weight }) => (
            <li key={`${relation} ${other.id}`} className="border-t">
              <button
                type="button"
                className={`grid gap-2 type-body ${styles.item}`}
                onClick={() => onSelect(other.id)}
              >
                <span className="truncate">
                  <RevealedText line text={other.label} texts={reveal} />
                </span>
                <span className="type-note text-3">
                  {t.relations[relation]}
                  {relation === "explicit" ? "" : `, ${percentText(weight)}`}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
  </>
)
