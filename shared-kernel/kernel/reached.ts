/** How far along the log a request has come: the position of the last event that it caused, whatever it told of it. */
export interface Reached {
  position: number;
}
