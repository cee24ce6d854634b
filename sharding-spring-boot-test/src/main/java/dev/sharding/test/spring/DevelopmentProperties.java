package dev.sharding.test.spring;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of a {@link DevelopmentCluster}.
 *
 * @param shards how many shards there are, this application included, from 1 to 20; the
 * further ones are processes of their own
 * @param crds where the CustomResourceDefinitions are that are applied first, as
 * locations of Spring resources; those that are not there are passed over
 * @param folder folder for the kubeconfig and the logs of further shards;
 * target/development, or build/development where there is a folder build and no folder
 * target, unless set
 * @param join kubeconfig of a development cluster that runs already, for one more shard
 * of it
 */
@ConfigurationProperties(prefix = DevelopmentProperties.PREFIX, ignoreUnknownFields = false)
record DevelopmentProperties(@DefaultValue("1") int shards,
		@DefaultValue("classpath*:META-INF/fabric8/*-v1.yml") List<String> crds, @Nullable Path folder,
		@Nullable Path join) {

	static final String PREFIX = "sharding.development";

	private static final int MOST = 20;

	DevelopmentProperties {
		if (shards < 1 || shards > MOST) {
			throw new IllegalArgumentException(
					"'sharding.development.shards' must be from 1 to %d (is %d)".formatted(MOST, shards));
		}
	}

	/** The folder, absolute, which need not exist. */
	Path place() {
		if (this.folder != null) {
			return this.folder.toAbsolutePath();
		}
		boolean gradle = Files.isDirectory(Path.of("build")) && !Files.isDirectory(Path.of("target"));
		return Path.of(gradle ? "build" : "target", "development").toAbsolutePath();
	}

}
