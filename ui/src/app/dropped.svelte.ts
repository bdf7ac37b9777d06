/** A session that was dropped on the window: it stands in no file of the project, and is gone when the window closes. */
class Dropped {
  session = $state.raw<{ name: string; text: string } | null>(null);
}

export const dropped = new Dropped();
