package dev.sharding.internal.kubernetes.rest.http;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that the client finds by itself, found without loading the classes of every
 * kind, as the client does to read a kubeconfig.
 */
public final class Kubeconfig {

	/* Where the client looks for the file that a part came from. */
	private static final String CONTEXT_FILE = "KUBERNETES_CONFIG_CONTEXT_FILE_KEY";

	private static final String CLUSTER_FILE = "KUBERNETES_CONFIG_CLUSTER_FILE_KEY";

	private static final String USER_FILE = "KUBERNETES_CONFIG_AUTH_INFO_FILE_KEY";

	private Kubeconfig() {
	}

	/**
	 * Returns a builder of the client that {@code new KubernetesClientBuilder()} would
	 * make here: by the same files, system properties and environment, and with the same
	 * errors, then thrown when it builds. Its HTTP client is one of
	 * {@link QuietHttpClients#forAnyCode()}, its JSON is {@link ClientJson}.
	 * @return a new builder
	 */
	public static KubernetesClientBuilder newBuilder() {
		KubernetesClientBuilder builder = new KubernetesClientBuilder()
			.withHttpClientFactory(QuietHttpClients.forAnyCode())
			.withKubernetesSerialization(ClientJson.take());
		Config found = find(null);
		return (found != null) ? builder.withConfig(found) : builder;
	}

	/* Null where the client shall look for itself. Without a context the current one. */
	static @Nullable Config find(@Nullable String context) {
		if (Utils.getSystemPropertyOrEnvVar(Config.KUBERNETES_DISABLE_AUTO_CONFIG_SYSTEM_PROPERTY, false)
				|| !Utils.getSystemPropertyOrEnvVar(Config.KUBERNETES_AUTH_TRYKUBECONFIG_SYSTEM_PROPERTY, true)) {
			return null;
		}
		try {
			return merge(context, files());
		}
		catch (IOException | RuntimeException ex) {
			// It meets the same, and says so in its own words.
			return null;
		}
	}

	private static List<File> files() {
		return Config.getKubeconfigFilenames()
			.stream()
			.map(File::new)
			.filter((file) -> file.isFile() && file.length() > 0)
			.toList();
	}

	private static @Nullable Config merge(@Nullable String context, List<File> files) throws IOException {
		if (files.isEmpty()) {
			return null;
		}
		// Kinds are for the extensions of other tools.
		KubernetesSerialization noKinds = new KubernetesSerialization(new ObjectMapper(), false);
		List<io.fabric8.kubernetes.api.model.Config> parts = new ArrayList<>();
		for (File file : files) {
			io.fabric8.kubernetes.api.model.Config part = parse(file, noKinds);
			if (part == null || hasKind(part)) {
				return null;
			}
			parts.add(part);
		}
		Config config = Config.empty();
		KubeConfigUtils.merge(config, context, parts.toArray(io.fabric8.kubernetes.api.model.Config[]::new));
		Config.configFromSysPropsOrEnvVars(config);
		config.setAutoConfigure(true);
		return config;
	}

	private static io.fabric8.kubernetes.api.model.@Nullable Config parse(File file, KubernetesSerialization noKinds)
			throws IOException {
		io.fabric8.kubernetes.api.model.@Nullable Config part;
		try (InputStream content = Files.newInputStream(file.toPath())) {
			part = noKinds.unmarshal(content, io.fabric8.kubernetes.api.model.Config.class);
		}
		if (part != null) {
			note(file, part.getContexts(), CONTEXT_FILE, NamedContext::getAdditionalProperties);
			note(file, part.getClusters(), CLUSTER_FILE, NamedCluster::getAdditionalProperties);
			note(file, part.getUsers(), USER_FILE, NamedAuthInfo::getAdditionalProperties);
		}
		return part;
	}

	private static <T> void note(File file, @Nullable List<T> parts, String key,
			Function<T, Map<String, Object>> properties) {
		if (parts != null) {
			parts.forEach((part) -> properties.apply(part).put(key, file));
		}
	}

	/* With all kinds known, it might have become an object of that class. */
	private static boolean hasKind(io.fabric8.kubernetes.api.model.Config part) {
		return part.getContexts() != null && part.getContexts()
			.stream()
			.map(NamedContext::getContext)
			.filter((context) -> context != null && context.getExtensions() != null)
			.flatMap((context) -> context.getExtensions().stream())
			.filter(Objects::nonNull)
			.anyMatch((extension) -> extension.getExtension() instanceof GenericKubernetesResource);
	}

}
