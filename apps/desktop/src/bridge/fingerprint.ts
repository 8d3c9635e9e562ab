/** Formats `sha256`, lower case without colons, like `openssl x509 -fingerprint -sha256`, for comparison by eye. */
export const fingerprint = (sha256: string): string => sha256.toUpperCase().replace(/..(?!$)/gu, "$&:")
