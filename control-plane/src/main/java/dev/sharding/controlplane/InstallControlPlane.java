package dev.sharding.controlplane;

import java.util.Arrays;
import java.util.List;

/**
 * Installs the control plane and prints where it is. Progress goes to standard error, and
 * one line per program to standard output ({@code etcd=/path}), so that scripts can read
 * it. Called by the build before the first integration test, and by the demo.
 */
public final class InstallControlPlane {

	private static final String UNLESS = "--unless=";

	private static final String WITH_HELM = "--with-helm";

	private InstallControlPlane() {
	}

	/**
	 * Installs.
	 * @param arguments {@code --unless=true} makes this do nothing: the build passes its
	 * switches for skipped tests this way; {@code --with-helm} installs helm besides,
	 * where it can be built
	 */
	public static void main(String... arguments) {
		boolean skip = Arrays.stream(arguments)
			.filter((argument) -> argument.startsWith(UNLESS))
			.map((argument) -> argument.substring(UNLESS.length()))
			// "-DskipITs" without a value reaches us as an empty text or as "true".
			.anyMatch((value) -> value.isEmpty() || Boolean.parseBoolean(value));
		if (skip) {
			return;
		}
		NamedCluster.find()
			.ifPresentOrElse(
					(cluster) -> System.err.println("Control plane: none needed, tests use " + cluster.kubeconfig()),
					InstallControlPlane::install);
		if (List.of(arguments).contains(WITH_HELM)) {
			installHelm();
		}
	}

	private static void install() {
		ControlPlaneBinaries binaries = ControlPlaneBinaries.install(System.err::println);
		System.out.println("kube-apiserver=" + binaries.kubeApiserver());
		System.out.println("etcd=" + binaries.etcd());
		System.out.println("kubectl=" + binaries.kubectl());
	}

	/* Tests need a control plane; without helm only those of the chart are skipped. */
	private static void installHelm() {
		try {
			System.out.println("helm=" + Helm.install(System.err::println));
		}
		catch (ControlPlaneUnavailableException ex) {
			System.err.println(ex.getMessage());
		}
	}

}
