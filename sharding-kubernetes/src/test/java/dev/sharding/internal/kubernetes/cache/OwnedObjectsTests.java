package dev.sharding.internal.kubernetes.cache;

import java.util.List;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.InvalidOwnershipException;
import dev.sharding.internal.core.wanted.AppliedFields;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class OwnedObjectsTests {

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private static final ResourceType<Namespace> NAMESPACES = ResourceType.of(Namespace.class);

	private final Secret owner = secret("home", "uid-1");

	private final ConfigMap wanted = configMap("home");

	@Test
	void theOwnerBecomesTheController() {
		OwnedObjects.control(CONFIG_MAPS, this.owner, this.wanted);
		OwnedObjects.control(CONFIG_MAPS, this.owner, this.wanted);
		assertThat(this.wanted.getMetadata().getOwnerReferences()).containsExactly(reference("Secret", "o", "uid-1"));
		OwnedObjects.requireControlled(CONFIG_MAPS, this.owner, this.wanted);
	}

	@Test
	void otherOwnersThatControlNothingStay() {
		OwnerReference other = new OwnerReferenceBuilder(reference("Pod", "p", "uid-9")).withController(null).build();
		this.wanted.getMetadata().setOwnerReferences(List.of(other));
		OwnedObjects.control(CONFIG_MAPS, this.owner, this.wanted);
		assertThat(this.wanted.getMetadata().getOwnerReferences()).hasSize(2).contains(other);
	}

	@Test
	void whatHasNoNamespaceGetsThatOfItsOwner() {
		this.wanted.getMetadata().setNamespace(null);
		OwnedObjects.control(CONFIG_MAPS, this.owner, this.wanted);
		assertThat(this.wanted.getMetadata().getNamespace()).isEqualTo("home");
	}

	@Test
	void anOwnerWithoutNamespaceMayOwnEverything() {
		HasMetadata cluster = new NamespaceBuilder().withNewMetadata().withName("n").withUid("u").endMetadata().build();
		OwnedObjects.control(CONFIG_MAPS, cluster, this.wanted);
		OwnedObjects.control(NAMESPACES, cluster, namespace());
		assertThat(this.wanted.getMetadata().getNamespace()).isEqualTo("home");
	}

	@Test
	void anOwnerInAnotherNamespaceIsRefused() {
		assertThatExceptionOfType(InvalidOwnershipException.class)
			.isThrownBy(() -> OwnedObjects.control(CONFIG_MAPS, this.owner, configMap("away")))
			.withMessage("Failed to ensure configmaps.v1 away/c for Secret home/o: owner and owned must be in one"
					+ " namespace. Put it into 'home', or write it with apply and delete it in Cleaner")
			.satisfies((ex) -> {
				assertThat(ex.owner()).isEqualTo(new ObjectKey("home", "o"));
				assertThat(ex.object()).isEqualTo(new ObjectKey("away", "c"));
			});
	}

	@Test
	void aNamespaceDoesNotOwnWhatIsOutside() {
		refused("what has no namespace", () -> OwnedObjects.control(NAMESPACES, this.owner, namespace()));
	}

	@Test
	void aNameThatIsNewEachTimeIsRefused() {
		this.wanted.getMetadata().setName(null);
		this.wanted.getMetadata().setGenerateName("c-");
		refused("'generateName'", () -> OwnedObjects.control(CONFIG_MAPS, this.owner, this.wanted));
	}

	@Test
	void anOwnerThatWasNeverReadIsRefused() {
		refused("uid", () -> OwnedObjects.control(CONFIG_MAPS, secret("home", null), this.wanted));
	}

	@Test
	void anotherControllerInWhatIsWantedIsRefused() {
		this.wanted.getMetadata().setOwnerReferences(List.of(reference("Pod", "p", "uid-9")));
		refused("Pod 'p'", () -> OwnedObjects.control(CONFIG_MAPS, this.owner, this.wanted));
	}

	@Test
	void whatSomebodyElseControlsIsRefused() {
		refused("nobody controls it", () -> OwnedObjects.requireControlled(CONFIG_MAPS, this.owner, this.wanted));
		this.wanted.getMetadata().setOwnerReferences(List.of(reference("Pod", "p", "uid-9")));
		refused("Pod 'p' controls it", () -> OwnedObjects.requireControlled(CONFIG_MAPS, this.owner, this.wanted));
		this.wanted.getMetadata().setOwnerReferences(List.of(reference("Secret", "o", "uid-0")));
		refused("garbage collector", () -> OwnedObjects.requireControlled(CONFIG_MAPS, this.owner, this.wanted));
	}

	@Test
	void whatIsNoMoreIsForgottenInTime() {
		AppliedMemory memory = new AppliedMemory((key) -> key.name().startsWith("there"));
		for (int i = 0; i < 10_000; i++) {
			memory.remember(new ObjectKey("", "gone-" + i), new AppliedFields("a", "b"));
		}
		memory.remember(new ObjectKey("", "there"), new AppliedFields("a", "b"));
		assertThat(memory.size()).isLessThanOrEqualTo(1025);
		assertThat(memory.of(new ObjectKey("", "there"))).isNotNull();
	}

	private static void refused(String why, Runnable call) {
		assertThatExceptionOfType(InvalidOwnershipException.class).isThrownBy(call::run)
			.withMessageContaining("Failed to ensure ")
			.withMessageContaining(why);
	}

	private static OwnerReference reference(String kind, String name, String uid) {
		return new OwnerReferenceBuilder().withApiVersion("v1")
			.withKind(kind)
			.withName(name)
			.withUid(uid)
			.withController(true)
			.build();
	}

	private static Secret secret(String namespace, String uid) {
		return new SecretBuilder().withNewMetadata()
			.withNamespace(namespace)
			.withName("o")
			.withUid(uid)
			.endMetadata()
			.build();
	}

	private static ConfigMap configMap(String namespace) {
		return new ConfigMapBuilder().withNewMetadata().withNamespace(namespace).withName("c").endMetadata().build();
	}

	private static Namespace namespace() {
		return new NamespaceBuilder().withNewMetadata().withName("outside").endMetadata().build();
	}

}
