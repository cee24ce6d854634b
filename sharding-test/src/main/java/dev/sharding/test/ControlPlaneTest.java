package dev.sharding.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class that uses the control plane which all test classes of this JVM share.
 *
 * <p>
 * Parameters of these types are filled in: {@code KubernetesClient} (the administrator's;
 * do not close it), {@link ControlPlane}, and {@code String} with {@link TestNamespace}.
 * The shared control plane has default flags; a test that wants others, or that kills
 * processes, registers {@link ControlPlaneExtension#own} instead.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ControlPlaneExtension.class)
public @interface ControlPlaneTest {

}
