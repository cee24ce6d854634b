package dev.sharding.cache;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.cache.read.ControllerOwner;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SelectionTests {

	private final ConfigMap object = new ConfigMapBuilder().withNewMetadata()
		.withNamespace("ns")
		.withName("c")
		.addToLabels("app", "a")
		.addNewOwnerReference()
		.withApiVersion("v1")
		.withKind("ServiceAccount")
		.withName("bystander")
		.withUid("u0")
		.endOwnerReference()
		.addNewOwnerReference()
		.withApiVersion("v1")
		.withKind("Secret")
		.withName("owner")
		.withUid("u1")
		.withController(true)
		.endOwnerReference()
		.endMetadata()
		.build();

	@Test
	void findsTheControllerOwner() {
		assertThat(ControllerOwner.key(this.object, ResourceType.of(Secret.class)))
			.isEqualTo(new ObjectKey("ns", "owner"));
		assertThat(ControllerOwner.key(this.object, ResourceType.of(Deployment.class))).isNull();
		assertThat(ControllerOwner.key(new ConfigMapBuilder().withNewMetadata().endMetadata().build(),
				ResourceType.of(Secret.class)))
			.isNull();
	}

	@Test
	void theVersionOfTheOwnerDoesNotMatterButItsGroupDoes() {
		this.object.getMetadata().getOwnerReferences().get(1).setApiVersion("apps/v1beta1");
		this.object.getMetadata().getOwnerReferences().get(1).setKind("Deployment");
		assertThat(ControllerOwner.key(this.object, ResourceType.of(Deployment.class))).isNotNull();
		this.object.getMetadata().getOwnerReferences().get(1).setApiVersion("appsx/v1");
		assertThat(ControllerOwner.key(this.object, ResourceType.of(Deployment.class))).isNull();
		this.object.getMetadata().getOwnerReferences().get(1).setApiVersion("v1");
		assertThat(ControllerOwner.key(this.object, ResourceType.of(Deployment.class))).isNull();
	}

	@Test
	void listOptionsNarrow() {
		Secret owner = new SecretBuilder().withNewMetadata().withUid("u1").endMetadata().build();
		Secret other = new SecretBuilder().withNewMetadata().withUid("u0").endMetadata().build();
		ListOptions all = ListOptions.all();
		assertThat(all.selects(this.object)).isTrue();
		assertThat(all.inNamespace("ns").withLabels(Map.of("app", "a")).controlledBy(owner).selects(this.object))
			.isTrue();
		assertThat(all.inNamespace("other").selects(this.object)).isFalse();
		assertThat(all.withLabels(Map.of("app", "b")).selects(this.object)).isFalse();
		assertThat(all.controlledBy(other).selects(this.object)).isFalse();
	}

	@Test
	void evaluatesExpressionsAsTheApiServerDoes() {
		assertThat(matches("app", "In", "a", "b")).isTrue();
		assertThat(matches("app", "NotIn", "a", "b")).isFalse();
		assertThat(matches("absent", "NotIn", "a")).isTrue();
		assertThat(matches("absent", "In", "a")).isFalse();
		assertThat(matches("app", "Exists")).isTrue();
		assertThat(matches("absent", "Exists")).isFalse();
		assertThat(matches("absent", "DoesNotExist")).isTrue();
		assertThatIllegalArgumentException().isThrownBy(() -> matches("app", "Is", "a"))
			.withMessageContaining("'operator' of a label selector must be");
	}

	private boolean matches(String key, String operator, String... values) {
		LabelSelector selector = new LabelSelectorBuilder().addNewMatchExpression()
			.withKey(key)
			.withOperator(operator)
			.withValues(values)
			.endMatchExpression()
			.build();
		return LabelSelectors.matches(selector, this.object.getMetadata().getLabels());
	}

}
