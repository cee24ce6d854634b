package dev.sharding.controlplane;

import java.io.IOException;
import java.nio.file.Path;

/**
 * One way to get the programs.
 */
interface Source {

	/**
	 * Puts the programs into a folder.
	 * @param folder an empty folder that belongs to the caller
	 * @param heartbeat where to tell which phase runs
	 * @throws IOException if this way does not work here; the message says why
	 */
	void fetch(Path folder, Heartbeat heartbeat) throws IOException;

}
