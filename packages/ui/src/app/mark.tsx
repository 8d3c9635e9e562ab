/** The logo: the eight ticks of a seal above a signature line. */
const ticks = [8, 12, 5, 10, 14, 7, 11, 6] as const

export const Mark = ({ size }: { readonly size: number }) => (
  <svg width={size} height={size} viewBox="0 0 24 24" fill="var(--brand)" aria-hidden>
    {ticks.map((height, at) => <rect key={at} x={0.5 + at * 3} y={18 - height} width={2} height={height} />)}
    <rect x={0.5} y={20} width={23} height={2} />
  </svg>
)
