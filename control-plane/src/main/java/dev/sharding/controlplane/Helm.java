package dev.sharding.controlplane;

import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The program helm, for tests of charts. It is no part of a control plane: who has no
 * {@code go} goes without.
 */
public final class Helm {

	private Helm() {
	}

	/**
	 * Finds helm in the cache, and builds it where it is absent or broken. The first time
	 * this takes minutes; a second caller, also in another process, waits for the first.
	 * @param progress gets a line for each step and about every ten seconds; called from
	 * one thread at a time
	 * @return the program
	 * @throws ControlPlaneUnavailableException if it cannot be built; the message says
	 * what to do
	 */
	public static Path install(Consumer<String> progress) {
		return Program.HELM.in(new Installer(Toolset.HELM, Settings.fromEnvironment()).install(progress));
	}

}
