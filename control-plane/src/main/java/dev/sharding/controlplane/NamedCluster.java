package dev.sharding.controlplane;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The cluster that the user told us to use instead of starting a control plane. It takes
 * two things, so that no test ever writes into a cluster by accident: {@code KUBECONFIG},
 * and the switch {@code -Dsharding.test.use-kubeconfig=true} or
 * {@code SHARDING_TEST_USE_KUBECONFIG=true}.
 *
 * @param kubeconfig the file that {@code KUBECONFIG} names; it exists
 */
public record NamedCluster(Path kubeconfig) {

	static final String SWITCH_PROPERTY = "sharding.test.use-kubeconfig";

	static final String SWITCH_VARIABLE = "SHARDING_TEST_USE_KUBECONFIG";

	/**
	 * The named cluster, or empty when the switch is not set.
	 * @return the cluster to use
	 * @throws ControlPlaneUnavailableException if the switch is set but
	 * {@code KUBECONFIG} names no file
	 */
	public static Optional<NamedCluster> find() {
		return find(System::getProperty, System.getenv());
	}

	static Optional<NamedCluster> find(Function<String, @Nullable String> properties, Map<String, String> variables) {
		String value = properties.apply(SWITCH_PROPERTY);
		if (!Boolean.parseBoolean((value != null) ? value : variables.get(SWITCH_VARIABLE))) {
			return Optional.empty();
		}
		String kubeconfig = variables.getOrDefault("KUBECONFIG", "");
		String first = kubeconfig.split(File.pathSeparator, -1)[0];
		if (first.isEmpty() || !Files.isRegularFile(Path.of(first))) {
			throw new ControlPlaneUnavailableException("'" + SWITCH_PROPERTY
					+ "' asks for the cluster that KUBECONFIG names, but KUBECONFIG names no file (is '" + kubeconfig
					+ "'). Set KUBECONFIG to the kubeconfig of a cluster for tests, or remove the switch.");
		}
		return Optional.of(new NamedCluster(Path.of(first)));
	}

}
