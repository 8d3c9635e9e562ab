const whole = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 0 })
const fine = new Intl.NumberFormat("en-US", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** `3.2%`, `12%`. A value above 0 is never shown as 0. */
export const percentText = (share: number): string =>
  share > 0 && share < 0.1 ? fine.format(Math.max(share, 0.001)) : whole.format(share)
