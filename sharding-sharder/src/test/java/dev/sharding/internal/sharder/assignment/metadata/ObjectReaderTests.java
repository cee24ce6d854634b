package dev.sharding.internal.sharder.assignment.metadata;

import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.OwnerRef;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.informer.wire.MetadataSummary;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectReaderTests {

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private static final ShardedResource CONFIG_MAPS = new ShardedResource(ResourceType.of(ConfigMap.class).metadata(),
			ResourceRole.CONTROLLED);

	private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

	private final ObjectReader reader = new ObjectReader("my-ring");

	@Test
	void readsAMainObject() {
		ObjectMeta metadata = metadata().addToLabels("app", "shop")
			.addToLabels(ShardingLabels.shard("my-ring"), "shard-a")
			.addToLabels(ShardingLabels.drain("my-ring"), "true")
			.addToLabels(ShardingLabels.shard("other"), "shard-x")
			.build();
		ShardedObject object = read(SECRETS, metadata);
		assertThat(object.key()).isEqualTo(new ObjectKey("default", "a"));
		assertThat(object.resourceVersion()).isEqualTo("7");
		assertThat(object.shardingKey()).isEqualTo(new ShardingKey("", "Secret", "default", "a"));
		assertThat(object.labels())
			.isEqualTo(Map.of(ShardingLabels.shard("my-ring"), "shard-a", ShardingLabels.drain("my-ring"), "true"));
		assertThat(object.shard("my-ring")).isEqualTo("shard-a");
	}

	@Test
	void takesAnEmptyShardLabelForNone() {
		ObjectMeta metadata = metadata().addToLabels(ShardingLabels.shard("my-ring"), "").build();
		assertThat(read(SECRETS, metadata).shard("my-ring")).isNull();
	}

	@Test
	void readsAControlledObject() {
		ObjectMeta metadata = metadata().addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName("owner")
			.withUid("u")
			.withController(true)
			.endOwnerReference()
			.build();
		assertThat(read(CONFIG_MAPS, metadata).shardingKey())
			.isEqualTo(new ShardingKey("", "Secret", "default", "owner"));
	}

	@Test
	void readsAnIncompleteControllerReferenceAsNotSharded() {
		ObjectMeta metadata = metadata().addNewOwnerReference()
			.withApiVersion(null)
			.withKind("Secret")
			.withName("owner")
			.withController(true)
			.endOwnerReference()
			.build();
		assertThat(read(CONFIG_MAPS, metadata).shardingKey()).isNull();
		assertThat(read(CONFIG_MAPS, metadata().build()).shardingKey()).isNull();
	}

	@Test
	void readsSummariesAsAnswers() {
		MetadataSummary summary = new MetadataSummary("default", "a", "7", null,
				Map.of(ShardingLabels.shard("my-ring"), "shard-a"),
				List.of(new OwnerRef("v1", "Secret", "owner", "u", true)));
		ObjectMeta metadata = metadata().addToLabels(ShardingLabels.shard("my-ring"), "shard-a")
			.addToLabels("app", "shop")
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName("owner")
			.withUid("u")
			.withController(true)
			.withBlockOwnerDeletion(true)
			.endOwnerReference()
			.addNewManagedField()
			.withManager("kubectl")
			.endManagedField()
			.build();
		assertThat(this.reader.read(CONFIG_MAPS, summary)).isEqualTo(read(CONFIG_MAPS, metadata));
	}

	/** As it is read of an answer. */
	private ShardedObject read(ShardedResource resource, ObjectMeta metadata) {
		PartialObjectMetadata object = new PartialObjectMetadata();
		object.setMetadata(metadata);
		String json = SERIALIZATION.asJson(object);
		return this.reader.read(resource, SERIALIZATION.unmarshal(json, MetadataItem.class));
	}

	private static ObjectMetaBuilder metadata() {
		return new ObjectMetaBuilder().withNamespace("default").withName("a").withResourceVersion("7");
	}

}
