package dev.sharding.josdk;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class ControlledStampTests {

	private static final String LABEL = ShardingLabels.shard("ring");

	private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

	private final KubernetesSerialization serialization = new KubernetesSerialization();

	private final ControlledStamp stamp = new ControlledStamp(this.serialization, "ring", () -> "shard-1");

	ControlledStampTests() {
		this.stamp.follow(
				new RingResources(
						Map.of(new GroupResource("", "secrets"), Set.of(new GroupResource("", "configmaps")))),
				List.of(ResourceType.of(Secret.class)));
	}

	@Test
	void labelsWhatIsCreatedAndNamesItsController() {
		ConfigMap sent = sent("POST", CONFIG_MAPS, "application/json", ownedBy("Secret"));
		assertThat(sent.getMetadata().getLabels()).containsEntry(LABEL, "shard-1").containsEntry("mine", "yes");
		assertThat(sent.getMetadata().getOwnerReferences()).singleElement()
			.satisfies((owner) -> assertThat(owner.getController()).isTrue());
		assertThat(sent.getData()).containsEntry("key", "value");
	}

	@Test
	void labelsWhatIsReplacedOrApplied() {
		assertThat(sent("PUT", CONFIG_MAPS + "/a", "application/json", ownedBy("Secret")).getMetadata().getLabels())
			.containsEntry(LABEL, "shard-1");
		assertThat(sent("PATCH", CONFIG_MAPS + "/a", "application/apply-patch+yaml", ownedBy("Secret")).getMetadata()
			.getLabels()).containsEntry(LABEL, "shard-1");
	}

	@Test
	void tellsTheFenceWhoseItIs() {
		ApiRequest request = this.stamp.apply(
				ApiRequest.of("POST", CONFIG_MAPS, "application/json", this.serialization.asJson(ownedBy("Secret"))));
		assertThat(request.about()).isNotNull();
		assertThat(request.about().getMetadata().getOwnerReferences()).hasSize(1);
	}

	@Test
	void leavesAloneWhatIsNotOfTheRing() {
		String foreign = this.serialization.asJson(ownedBy("Pod"));
		assertThat(body("POST", CONFIG_MAPS, "application/json", foreign)).isEqualTo(foreign);
		String service = this.serialization.asJson(ownedBy("Secret"));
		assertThat(body("POST", "/api/v1/namespaces/default/services", "application/json", service)).isEqualTo(service);
		String status = this.serialization.asJson(ownedBy("Secret"));
		assertThat(body("PUT", CONFIG_MAPS + "/a/status", "application/json", status)).isEqualTo(status);
		String patch = "{\"data\":{\"key\":\"other\"}}";
		assertThat(body("PATCH", CONFIG_MAPS + "/a", "application/merge-patch+json", patch)).isEqualTo(patch);
	}

	@Test
	void leavesAloneWhatAnotherControllerHas() {
		ConfigMap shared = ownedBy("Secret");
		shared.getMetadata()
			.setOwnerReferences(List.of(shared.getMetadata().getOwnerReferences().get(0),
					ownedBy("Pod").getMetadata().getOwnerReferences().get(0)));
		shared.getMetadata().getOwnerReferences().get(1).setController(true);
		assertThat(sent("POST", CONFIG_MAPS, "application/json", shared).getMetadata().getLabels())
			.doesNotContainKey(LABEL);
	}

	@Test
	void managesNoLabelOfAMainObject() {
		Secret secret = new SecretBuilder().withNewMetadata()
			.withName("a")
			.withNamespace("default")
			.addToLabels(LABEL, "shard-0")
			.addToLabels("mine", "yes")
			.endMetadata()
			.build();
		String json = this.serialization.asJson(secret);
		String path = "/api/v1/namespaces/default/secrets/a";
		assertThat(this.serialization.unmarshal(body("PATCH", path, "application/apply-patch+yaml", json), Secret.class)
			.getMetadata()
			.getLabels()).containsOnlyKeys("mine");
		assertThat(body("PUT", path, "application/json", json)).isEqualTo(json);
	}

	private ConfigMap sent(String method, String path, String type, HasMetadata object) {
		return this.serialization.unmarshal(body(method, path, type, this.serialization.asJson(object)),
				ConfigMap.class);
	}

	private String body(String method, String path, String type, String body) {
		return this.stamp.apply(ApiRequest.of(method, path, type, body)).body();
	}

	private static ConfigMap ownedBy(String kind) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName("a")
			.withNamespace("default")
			.addToLabels("mine", "yes")
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind(kind)
			.withName("owner")
			.withUid("uid")
			.withController(false)
			.endOwnerReference()
			.endMetadata()
			.addToData("key", "value")
			.build();
	}

}
