package com.example.kotlin

import dev.sharding.cache.Freshness
import dev.sharding.cache.ListOptions
import dev.sharding.cache.ResourceCache
import dev.sharding.controller.Reconciler
import dev.sharding.controller.Result
import dev.sharding.controller.ShardedController
import dev.sharding.resource.ObjectKey
import dev.sharding.test.spring.ShardingTest
import dev.sharding.test.spring.TestRing
import io.fabric8.kubernetes.api.model.ConfigMap
import io.fabric8.kubernetes.api.model.ConfigMapBuilder
import io.fabric8.kubernetes.api.model.Secret
import io.fabric8.kubernetes.api.model.SecretBuilder
import java.time.Duration
import java.util.Base64
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.SpringBootApplication

/** Keeps a ConfigMap with the sizes of every Secret's values. */
@ShardedController(owns = [ConfigMap::class])
class SizeReconciler(private val configMaps: ResourceCache<ConfigMap>) : Reconciler<Secret> {

	override fun reconcile(secret: Secret): Result {
		val sizes = secret.data.orEmpty().mapValues { (_, value) -> "${Base64.getDecoder().decode(value).size} bytes" }
		configMaps.ensure(secret, ConfigMapBuilder().withNewMetadata()
			.withName("sizes-${secret.metadata.name}")
			.endMetadata()
			.withData<String, String>(sizes)
			.build())
		return Result.done()
	}

}

@SpringBootApplication
class SizesApplication

/**
 * What comes from the library is either there or an Optional, so Kotlin neither asks for `!!` nor lets a null in:
 * its compiler reads the annotations of JSpecify.
 */
@ShardingTest(main = [Secret::class], controlled = [ConfigMap::class])
class SizesTests {

	@Test
	fun notesTheSizeOfEachValue(ring: TestRing, @Autowired configMaps: ResourceCache<ConfigMap>) {
		val secret = ring.client().resource(SecretBuilder().withNewMetadata()
			.withNamespace(ring.name())
			.withName("password")
			.endMetadata()
			.addToStringData("key", "secret")
			.build()).create()
		val key = ObjectKey(ring.name(), "sizes-${secret.metadata.name}")
		// By the client of the test, as reads of a shard that has not joined yet end with an exception.
		await().atMost(Duration.ofSeconds(60)).until {
			ring.client().configMaps().inNamespace(key.namespace()).withName(key.name()).get() != null
		}

		val sizes: ConfigMap = configMaps.get(key, Freshness.CONSISTENT).orElseThrow()
		assertThat(sizes.data).containsEntry("key", "6 bytes")

		val options = ListOptions.all()
			.inNamespace(ring.name())
			.controlledBy(secret)
			.freshness(Freshness.CONSISTENT.within(Duration.ofSeconds(30)))
		assertThat(configMaps.list(options).map { it.metadata.name }).containsExactly("sizes-password")

		val changed: ConfigMap = configMaps.patch(sizes) { it.apply { data = mapOf("key" to "changed") } }
		assertThat(changed.data["key"]).isEqualTo("changed")
		// As the owner is reconciled, it is what it should be again.
		await().atMost(Duration.ofSeconds(60)).until {
			configMaps.get(key.namespace(), key.name()).map { it.data["key"] }.orElse(null) == "6 bytes"
		}
	}

}
