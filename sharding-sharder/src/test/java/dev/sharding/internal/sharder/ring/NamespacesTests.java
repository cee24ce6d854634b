package dev.sharding.internal.sharder.ring;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NamespacesTests {

	@Test
	void keepsNothingOfANamespaceButItsLabels() {
		PartialObjectMetadata namespace = new PartialObjectMetadata();
		namespace.setMetadata(named().addToAnnotations("example.com/note", "x".repeat(200_000))
			.addToFinalizers("example.com/keep")
			.addNewOwnerReference()
			.withName("owner")
			.endOwnerReference()
			.build());
		Namespaces.trim(namespace);
		ObjectMeta kept = named().build();
		kept.setAnnotations(null);
		assertThat(namespace.getMetadata()).isEqualTo(kept);
	}

	private static ObjectMetaBuilder named() {
		return new ObjectMetaBuilder().withName("a")
			.withUid("uid")
			.withResourceVersion("7")
			.withLabels(Map.of("team", "a"));
	}

}
