package dev.sharding.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.aot.DisabledInAotMode;

import dev.sharding.test.ControlPlaneTest;

/**
 * A {@link SpringBootTest} whose application is a shard: of a ring that belongs to the
 * test class, in a namespace that belongs to it as well, on the real API server of
 * {@link ControlPlaneTest}.
 *
 * <p>
 * Besides the parameters of {@link ControlPlaneTest}, tests get a {@link TestRing}, also
 * as a bean. Set for the application, unless {@link #properties()} says otherwise:
 * {@code sharding.ring}, {@code sharding.shard-name} ({@value #SHARD}),
 * {@code sharding.namespaces}, {@code sharding.lease.namespace},
 * {@code sharding.lease.duration} (10s), and {@code sharding.definition.apply} and
 * {@code sharding.sharder.enabled} (false), as the test brings ring and sharder. Its
 * client is that of the auto-configuration; a {@code KubernetesClient} bean of the
 * application's own must find the API server by itself.
 *
 * <p>
 * The application may do what the roles of its ring say (the command {@code roles} of the
 * sharder prints them), unless {@link #ringRoles()} is false, and what {@link #roles()}
 * adds, and nothing else; the sharder has the roles of its installation. The client of
 * the test may do everything.
 *
 * <p>
 * Spring's processing of tests ahead of time leaves these classes out, as their ring is
 * made when they run; in that mode they are disabled.
 *
 * <p>
 * Classes with a sharder must not run in parallel in one JVM, as each sharder looks after
 * all rings.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ControlPlaneTest
@ExtendWith(ShardingTestExtension.class)
@SpringBootTest
@DirtiesContext
@DisabledInAotMode
public @interface ShardingTest {

	/** The name of the application's shard. */
	String SHARD = "shard-1";

	/**
	 * The main resources of the ring.
	 * @return at least one class that names a resource
	 */
	Class<? extends HasMetadata>[] main();

	/**
	 * The controlled resources, of all main resources.
	 * @return classes that name resources
	 */
	Class<? extends HasMetadata>[] controlled() default {};

	/**
	 * CustomResourceDefinitions that are applied first.
	 * @return absolute names on the class path, such as "/crds/widget.yaml"
	 */
	String[] crds() default {};

	/**
	 * Manifests with the Roles and ClusterRoles that the application needs besides those
	 * of its ring: the ones that you deploy. A Role holds in the namespace of the ring, a
	 * ClusterRole everywhere, and a Role in the namespace {@code sharding-system}, of a
	 * sharder in the application, there; anything else in these files is passed over.
	 * @return absolute names on the class path, such as "/rbac/controller.yaml"
	 */
	String[] roles() default {};

	/**
	 * Whether the application has the roles of its ring besides {@link #roles()}. Without
	 * them it has what {@link #roles()} says alone: for those who deploy roles that they
	 * have written themselves, and want a right that is missing there to be missing in
	 * the test.
	 * @return whether the roles of the ring come by themselves
	 */
	boolean ringRoles() default true;

	/**
	 * Whether a sharder assigns the objects. Without one, the test does, by
	 * {@link TestRing#assign}.
	 * @return whether there is a sharder
	 */
	boolean sharder() default true;

	/**
	 * Properties of the application, as {@code key=value}.
	 * @return the properties
	 */
	@AliasFor(annotation = SpringBootTest.class)
	String[] properties() default {};

	/**
	 * The classes of the application.
	 * @return the classes; by default what {@link SpringBootTest} finds
	 */
	@AliasFor(annotation = SpringBootTest.class)
	Class<?>[] classes() default {};

	/**
	 * The web environment.
	 * @return as for {@link SpringBootTest}
	 */
	@AliasFor(annotation = SpringBootTest.class)
	WebEnvironment webEnvironment() default WebEnvironment.MOCK;

}
