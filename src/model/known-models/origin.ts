// Made by `npm run models:update`.
/** The day on which the data of all tables was made. */
export const tableDate = "2026-11-10";
export const tableSource = "@earendil-works/pi-ai 1.5.2";
