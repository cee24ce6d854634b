package dev.sharding.controlplane;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The three programs of a control plane; each was run once and answered.
 *
 * @param kubeApiserver path of kube-apiserver
 * @param etcd path of etcd
 * @param kubectl path of kubectl
 */
public record ControlPlaneBinaries(Path kubeApiserver, Path etcd, Path kubectl) {

	/**
	 * Finds the programs without installing anything: in the folder that
	 * {@code KUBEBUILDER_ASSETS} names, else in the cache. Takes milliseconds once the
	 * programs in the cache have been verified.
	 * @return the programs, or empty if they have to be installed first
	 * @throws ControlPlaneUnavailableException if {@code KUBEBUILDER_ASSETS} is set, but
	 * its programs do not run
	 */
	public static Optional<ControlPlaneBinaries> locate() {
		return new Installer(Toolset.CONTROL_PLANE, Settings.fromEnvironment()).locate().map(ControlPlaneBinaries::in);
	}

	/**
	 * Finds the programs, and installs them into the cache where they are absent or
	 * broken. The first time this can take minutes; a second caller, also in another
	 * process, waits for the first.
	 * @param progress gets a line for each step and about every ten seconds; called from
	 * one thread at a time
	 * @return the programs
	 * @throws ControlPlaneUnavailableException if no way works; the message says what to
	 * do
	 */
	public static ControlPlaneBinaries install(Consumer<String> progress) {
		return in(new Installer(Toolset.CONTROL_PLANE, Settings.fromEnvironment()).install(progress));
	}

	static ControlPlaneBinaries in(Path folder) {
		return new ControlPlaneBinaries(Program.KUBE_APISERVER.in(folder), Program.ETCD.in(folder),
				Program.KUBECTL.in(folder));
	}

}
