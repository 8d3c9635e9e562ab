/**
 * The places of a graph's nodes: connected nodes attract, all nodes repel. The same graph always has the same layout.
 * Pure.
 */

export interface LayoutEdge {
  readonly source: number
  readonly target: number
  readonly weight: number
}

export interface Place {
  readonly x: number
  readonly y: number
}

export const graphWidth = 1_000
export const graphHeight = 700
const margin = 30
const goldenAngle = Math.PI * (3 - Math.sqrt(5))

/** A square of side 1, scaled to the frame at the end. */
export const layoutOf = (count: number, edges: ReadonlyArray<LayoutEdge>): ReadonlyArray<Place> => {
  if (count === 0) return []
  const x = new Float64Array(count)
  const y = new Float64Array(count)
  // A sunflower: even, and without two nodes at one place.
  for (let node = 0; node < count; node++) {
    const radius = 0.5 * Math.sqrt((node + 0.5) / count)
    x[node] = radius * Math.cos(node * goldenAngle)
    y[node] = radius * Math.sin(node * goldenAngle)
  }
  const ideal = 0.7 / Math.sqrt(count)
  const rounds = count > 200 ? 60 : 150
  const dx = new Float64Array(count)
  const dy = new Float64Array(count)
  for (let round = 0; round < rounds; round++) {
    dx.fill(0)
    dy.fill(0)
    for (let one = 0; one < count; one++) {
      for (let other = one + 1; other < count; other++) {
        const across = x[one]! - x[other]!
        const down = y[one]! - y[other]!
        const force = ideal * ideal / Math.max(across * across + down * down, 1e-6)
        dx[one]! += across * force
        dy[one]! += down * force
        dx[other]! -= across * force
        dy[other]! -= down * force
      }
      // Keeps parts without a connection in the frame.
      dx[one]! -= x[one]! * 1.5
      dy[one]! -= y[one]! * 1.5
    }
    for (const { source, target, weight } of edges) {
      const across = x[source]! - x[target]!
      const down = y[source]! - y[target]!
      const force = Math.hypot(across, down) / ideal * Math.max(weight, 0.1)
      dx[source]! -= across * force
      dy[source]! -= down * force
      dx[target]! += across * force
      dy[target]! += down * force
    }
    const stepMax = 0.12 * (1 - round / rounds) + 0.002
    for (let node = 0; node < count; node++) {
      const length = Math.hypot(dx[node]!, dy[node]!)
      if (length === 0) continue
      const step = Math.min(length, stepMax) / length
      x[node]! += dx[node]! * step
      y[node]! += dy[node]! * step
    }
  }
  return scaled(x, y)
}

/** One scale for both axes keeps the distances; the longer side lies across. */
const scaled = (x: Float64Array, y: Float64Array): ReadonlyArray<Place> => {
  const one = rangeOf(x)
  const other = rangeOf(y)
  const [wide, high] = one.size >= other.size ? [one, other] : [other, one]
  const scale = Math.min(
    (graphWidth - 2 * margin) / Math.max(wide.size, 1e-9),
    (graphHeight - 2 * margin) / Math.max(high.size, 1e-9)
  )
  const at = (value: number, { middle }: Range, size: number) =>
    Math.round((size / 2 + (value - middle) * scale) * 10) / 10
  return Array.from(wide.values, (value, node) => ({
    x: at(value, wide, graphWidth),
    y: at(high.values[node]!, high, graphHeight)
  }))
}

interface Range {
  readonly values: Float64Array
  readonly middle: number
  readonly size: number
}

const rangeOf = (values: Float64Array): Range => {
  const least = Math.min(...values)
  const greatest = Math.max(...values)
  return { values, middle: (least + greatest) / 2, size: greatest - least }
}
