/** As `openssl x509 -fingerprint -sha256` prints it, so that it can be compared by eye. `sha256` in lower case without colons. */
export const fingerprint = (sha256: string): string => sha256.toUpperCase().replace(/..(?!$)/gu, "$&:")
