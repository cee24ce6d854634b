package dev.sharding.kubernetes.fence;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class WritePathTests {

	@ParameterizedTest
	@CsvSource({ "/api/v1/namespaces/ns/secrets/a, secrets, ns, ns/a",
			"/api/v1/namespaces/ns/secrets/a/status, secrets, ns, ns/a", "/api/v1/namespaces/ns/secrets, secrets, ns,",
			"/apis/apps/v1/namespaces/ns/deployments/a/scale, deployments.apps, ns, ns/a",
			"/apis/sharding.example/v1/widgets/a, widgets.sharding.example, '', a",
			"/api/v1/namespaces/a, namespaces, '', a", "/api/v1/namespaces, namespaces, '',",
			"/api/v1/namespaces/a/finalize, namespaces, '', a", "/api/v1/namespaces/a/status, namespaces, '', a",
			"/api/v1/nodes/n/status, nodes, '', n" })
	void readsWhatAPathNames(String path, String resource, String namespace, @Nullable String key) {
		WritePath read = WritePath.of(path);
		assertThat(read).isNotNull();
		assertThat(read.resource()).hasToString(resource);
		assertThat(read.namespace()).isEqualTo(namespace);
		assertThat((read.key() != null) ? read.key().toString() : null).isEqualTo(key);
	}

	@ParameterizedTest
	@CsvSource({ "/version", "/api", "/api/v1", "/apis/apps/v1", "/healthz" })
	void whatNamesNoResourceIsNone(String path) {
		assertThat(WritePath.of(path)).isNull();
	}

}
