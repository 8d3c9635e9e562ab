/** The summary of `npm test`: the results of all test programs, added up and printed. */
import { inCi } from "./requirements.mjs"
import { flakyMax } from "./retries.mjs"

/**
 * The results of one test program. `failures` have a title and the first line of each error; `seconds` are those of all
 * tests of a file, or of a whole program with its setup.
 * @typedef {{
 *   passed: number,
 *   failures: Array<string>,
 *   skipped: Array<{ title: string, reason: string }>,
 *   flaky: Array<string>,
 *   files: Array<{ file: string, seconds: number }>,
 *   programs: Array<{ name: string, tests: number, seconds: number, cpuSeconds?: number }>
 * }} Results
 */

/** @returns {Results} */
export const noResults = () => ({ passed: 0, failures: [], skipped: [], flaky: [], files: [], programs: [] })

const slowestShown = 10
/** A run of one test by name skips all others; that list would be useless. */
const skippedShown = 50

/** @param {ReadonlyArray<Results>} all @returns {Results} */
export const sumOf = (all) => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failures: all.flatMap(({ failures }) => failures),
  skipped: all.flatMap(({ skipped }) => skipped),
  flaky: all.flatMap(({ flaky }) => flaky),
  files: all.flatMap(({ files }) => files),
  programs: all.flatMap(({ programs }) => programs)
})

/** Reasons to fail the run. @param {Results} results @returns {Array<string>} */
export const faultsOf = ({ failures, flaky, passed, skipped }) => [
  ...passed + failures.length + skipped.length === 0 ? ["no test was found"] : [],
  ...inCi && flaky.length > flakyMax
    ? [`${flaky.length} tests passed only at their second try; at most ${flakyMax} may`]
    : []
]

/** The time of a program per 100 tests. @param {Results["programs"][number]} program */
const growthOf = ({ cpuSeconds, name, seconds, tests }) => {
  const figure = (/** @type {number} */ total) =>
    `${total.toFixed(0)} s${tests === 0 ? "" : ` (${(total * 100 / tests).toFixed(1)} s per 100 tests)`}`
  return `${name}: ${tests} tests in ${figure(seconds)}${
    cpuSeconds === undefined ? "" : `, ${figure(cpuSeconds)} of CPU`
  }`
}

/**
 * The last lines of `npm test`; the very last is `N passed, N failed, N skipped`.
 * @param {Results} results
 * @returns {Array<string>}
 */
export const linesOf = ({ failures, files, flaky, passed, programs, skipped }) => [
  "",
  ...files.length === 0 ? [] : ["Slowest files:"],
  ...files.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown).map(({ file, seconds }) =>
    `  ${seconds.toFixed(1)} s ${file}`
  ),
  ...skipped.slice(0, skippedShown).map(({ reason, title }) => `SKIPPED ${title}\n  ${reason}`),
  ...skipped.length > skippedShown ? [`SKIPPED ${skipped.length - skippedShown} more`] : [],
  ...flaky.map((title) => `FLAKY ${title}\n  passed at its second try`),
  ...programs.map(growthOf),
  ...failures.map((failure) => `FAILED ${failure}`),
  `${passed} passed, ${failures.length} failed, ${skipped.length} skipped`
]
