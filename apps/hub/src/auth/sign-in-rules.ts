/** How attempts on an account are delayed, recorded, and reported. Spec: reference/accounts.md "Sign-in". */

/** The longest delay of an attempt: shorter than the timeouts of proxies. */
export const delaySecondsMax = 30

/** Attempts without a delay are as many as one address has at once; each further one doubles the delay. */
export const delaySecondsOf = (attemptsBefore: number, free: number): number =>
  attemptsBefore < free ? 0 : Math.min(delaySecondsMax, 2 ** Math.min(attemptsBefore - free, 10))

const recordedOneByOne = 10

/** Every failure of a short run is recorded; of a long one every tenth, so that an attack does not fill the log. */
export const isRecorded = (failures: number): boolean => failures <= recordedOneByOne || failures % 10 === 0

/** From this number of failures on the person is mailed, at most once a day. */
export const mailedFrom = 10
export const mailPauseHours = 24

/** After this long without an attempt the count starts from zero. */
export const quietMinutes = 60
