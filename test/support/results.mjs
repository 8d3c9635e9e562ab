/** The end of `npm test`: the results of each test program, added up and printed. */
import { inCi } from "./requirements.mjs"
import { flakyMax } from "./retries.mjs"

/**
 * What one test program reports. `failures` have a title and the first line of each error; `seconds` are those of all tests of a file.
 * @typedef {{
 *   passed: number,
 *   failures: Array<string>,
 *   skipped: Array<{ title: string, reason: string }>,
 *   flaky: Array<string>,
 *   files: Array<{ file: string, seconds: number }>
 * }} Results
 */

/** @returns {Results} */
export const noResults = () => ({ passed: 0, failures: [], skipped: [], flaky: [], files: [] })

const slowestShown = 10
/** A run of one test by its name skips all others, which need no list. */
const skippedShown = 50

/** @param {ReadonlyArray<Results>} all @returns {Results} */
export const sumOf = (all) => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failures: all.flatMap(({ failures }) => failures),
  skipped: all.flatMap(({ skipped }) => skipped),
  flaky: all.flatMap(({ flaky }) => flaky),
  files: all.flatMap(({ files }) => files)
})

/** Faults of the run itself. @param {Results} results @returns {Array<string>} */
export const faultsOf = ({ failures, flaky, passed, skipped }) => [
  ...passed + failures.length + skipped.length === 0 ? ["no test was found"] : [],
  ...inCi && flaky.length > flakyMax
    ? [`${flaky.length} tests passed only at their second try; at most ${flakyMax} may`]
    : []
]

/** The last lines of `npm test`; the very last is `N passed, N failed, N skipped`. @param {Results} results @returns {Array<string>} */
export const linesOf = ({ failures, files, flaky, passed, skipped }) => [
  "",
  ...files.length === 0 ? [] : ["Slowest files:"],
  ...files.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown).map(({ file, seconds }) =>
    `  ${seconds.toFixed(1)} s ${file}`
  ),
  ...skipped.slice(0, skippedShown).map(({ reason, title }) => `SKIPPED ${title}\n  ${reason}`),
  ...skipped.length > skippedShown ? [`SKIPPED ${skipped.length - skippedShown} more`] : [],
  ...flaky.map((title) => `FLAKY ${title}\n  passed at its second try`),
  ...failures.map((failure) => `FAILED ${failure}`),
  `${passed} passed, ${failures.length} failed, ${skipped.length} skipped`
]
