/** The contrast chosen in the console, passed in the address. The theme follows the system's. */
const chosen = new URLSearchParams(location.search).get("contrast")
if (chosen === "standard" || chosen === "more") document.documentElement.dataset["contrast"] = chosen
