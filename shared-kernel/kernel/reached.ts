/** How far along the log a request has come: the position of the last event that it caused. */
export interface Reached {
  position: number;
}
